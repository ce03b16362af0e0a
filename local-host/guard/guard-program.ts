import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Backoff } from '../../functions/shared/kit/backoff.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2_000;
/** How long a guard may take to end once it was told to. */
const END_MS = 1_000;
/** Settings that only the service itself needs: the guard judges by public keys. */
const SECRETS = new Set([
  'SERVICE_JWT_SIGNING_KEY',
  'SERVICE_API_KEYS',
  'NOTIFY_SOCKET',
  'WATCHDOG_USEC',
  'WATCHDOG_PID',
]);

/** How the guard is started: in the bundle it is a file beside that of the service. */
export function guardCommand(): readonly string[] {
  if (!import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL('./guard.js', import.meta.url))];
  return ['--import', 'tsx', fileURLToPath(new URL('./main.ts', import.meta.url))];
}

/** The guard as a program that this process starts, and starts again when it ends. It outlives this process. */
export class GuardProgram {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #logger: Logger;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, MAX_RETRY_MS);
  #child: ChildProcess | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(environment: NodeJS.ProcessEnv, logger: Logger) {
    this.#environment = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.has(name)));
    this.#logger = logger;
    this.#start();
  }

  /** Settles when it has ended, as it was told over its socket; otherwise it is ended after a while. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const child = this.#child;
    if (!child) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Ends one that hangs; another one is started. */
  replace(): void {
    this.#child?.kill('SIGKILL');
  }

  #start(): void {
    // In a session of its own: what ends the service, by its terminal for instance, must not end the guard.
    // Without an optimizing compiler it takes 60 MB instead of 68, and a stop no longer. It keeps what it has compiled:
    // the next stop may come after days.
    const child = spawn(
      process.execPath,
      ['--lite-mode', '--no-flush-bytecode', ...guardCommand(), String(process.pid)],
      {
        detached: true,
        env: this.#environment,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    child.unref();
    this.#child = child;
    child.once('error', (error) => this.#ended(child, error));
    child.once('exit', (code, signal) => this.#ended(child, { code, signal }));
  }

  #ended(child: ChildProcess, reason: unknown): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    if (this.#closed) return;
    this.#logger.error({ reason }, 'the guard has ended; starting it again');
    this.#retry = setTimeout(() => this.#start(), this.#backoff.fail()).unref();
  }
}
