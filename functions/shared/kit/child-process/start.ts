import { spawn } from 'node:child_process';
import { ProcessGroup } from './process-group.ts';
import { CommandFailure, type Exit, errorOf, listen, type Running, tooSlow } from './running.ts';

type KillListener = (program: string) => void;

/** Called for programs whose time limit was exceeded. */
const listeners = new Set<KillListener>();

/**
 * Calls `listener` with the name of each program that is killed because its time is up. @returns a function that ends
 * this.
 */
export function onTimeLimit(listener: KillListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export interface StartOptions {
  /** The whole environment of the child: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the child when it aborts. */
  readonly signal: AbortSignal;
  /** Longest life of the child, in ms. */
  readonly timeLimit: number;
}

/**
 * Starts a program without a shell, its words passed as they are. The child is killed, with the processes it has
 * started, when the signal aborts, the time is up, its output is no longer wanted (`stdout` destroyed), {@link
 * Running.stop} is called or this process exits; it only ever reads, or sets what it sets at once, so nothing is lost
 * by SIGKILL.
 */
export function start(
  words: readonly [string, ...string[]],
  { environment, signal, timeLimit }: StartOptions,
): Running {
  signal.throwIfAborted();
  const [program, ...args] = words;
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const group = new ProcessGroup(child);
  const { stdout, stderr } = child;
  const heard = listen(stderr);
  let failure: unknown;
  const stop = (reason?: unknown) => {
    failure ??= reason;
    group.kill();
    stdout.destroy(errorOf(reason));
    stderr.destroy();
  };
  const abort = () => stop(signal.reason);
  const timer = setTimeout(() => {
    stop(tooSlow(program, timeLimit));
    for (const listener of listeners) listener(program);
  }, timeLimit);
  signal.addEventListener('abort', abort, { once: true });
  stdout.once('close', () => {
    if (!stdout.readableEnded) group.kill(); // nobody listens any more; after its end the child ends by itself
  });
  stdout.on('error', () => {});
  stderr.on('error', () => {});
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) failure ??= new CommandFailure('missing', `"${program}" cannot be run here`, error);
      stdout.destroy();
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (failure === undefined) resolve({ code, stderr: heard() });
      else reject(failure);
    });
  });
  exit.catch(() => {}); // a caller that only reads stdout need not handle it
  return { stdout, exit, stop: () => stop() };
}
