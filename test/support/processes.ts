import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes that a test starts, ended by their ids when it is over. */
export class Processes {
  readonly #running = new Set<ChildProcess>();

  start(command: string, args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
    const env = { PATH: process.env.PATH, ...environment };
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'ignore'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    return child;
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  async stopAll(): Promise<void> {
    for (const child of [...this.#running].reverse()) await this.stop(child, 'SIGKILL');
  }
}

type Look<T> = () => T | undefined | false | Promise<T | undefined | false>;

/**
 * Waits until `look` gives something other than undefined or false, and gives that. `what` may be left out where the code
 * of `look` says it. @throws after `limitMs`, naming it; by itself the limit only ends what hangs.
 */
export async function until<T>(look: Look<T>): Promise<T>;
export async function until<T>(what: string, look: Look<T>, limitMs?: number): Promise<T>;
export async function until<T>(what: string | Look<T>, given?: Look<T>, limitMs = 40_000): Promise<T> {
  const look = typeof what === 'string' ? given : what;
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look?.();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await sleep(10);
  }
}

/** Waits for a file, a daemon's socket for instance. */
export const untilExists = (path: string): Promise<true> => until(`${path} exists`, () => existsSync(path));

/** Ids of the processes whose command line holds a text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What a program prints, to check from outside what the service has done. */
export function say(command: string, args: string[], environment: Record<string, string> = {}): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', ...environment };
  return spawnSync(command, args, { encoding: 'utf8', env }).stdout;
}

/** Ids of the children of a process, their children, and so on. */
export function descendantsOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return children.flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
