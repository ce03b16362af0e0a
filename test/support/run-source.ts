import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The URL of a source file, for an import inside {@link startModule}. */
export function sourceUrl(path: string): string {
  return new URL(`file://${join(ROOT, path)}`).href;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** What it has written to stdout so far. */
  stdout(): string;
  readonly ended: Promise<Ended>;
}

/** Starts a real node process on TypeScript sources, with HOME and the settings given and nothing else of ours. */
function startNode(args: readonly string[], environment: Record<string, string>): Started {
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const heard = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => {
    heard.stdout += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    heard.stderr += text.toString();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal, ...heard }));
  });
  return { child, stdout: () => heard.stdout, ended };
}

/** Starts a program of the project: `startProgram('local-host/cli/api-key.ts', ['list'], { HOME })`. */
export function startProgram(path: string, args: readonly string[], environment: Record<string, string>): Started {
  return startNode([join(ROOT, path), ...args], environment);
}

/** Starts a few lines of module code in a process of their own. */
export function startModule(code: string, environment: Record<string, string> = {}): Started {
  return startNode(['--input-type=module', '--eval', code], environment);
}
