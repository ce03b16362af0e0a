import type { Readable } from 'node:stream';

/** How a command ended. `code` is null when a signal ended it. */
export interface Exit {
  readonly code: number | null;
  /** The first 4 KiB of what it said on standard error. */
  readonly stderr: string;
}

/** A command that has been started, here or on another computer. */
export interface Running {
  readonly stdout: Readable;
  /**
   * Settles when the command has ended; rejects with {@link CommandFailure} or with the reason of the caller's signal.
   */
  readonly exit: Promise<Exit>;
  /** Ends the command now. */
  stop(): void;
}

/**
 * Why a command gave no result: `missing`, there is no such program; `time-limit`; `output-cap`; `unreachable`, the
 * computer it should run on cannot be reached.
 */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly kind: 'missing' | 'time-limit' | 'output-cap' | 'unreachable';

  constructor(kind: CommandFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Most bytes of standard error that are kept. */
const MAX_STDERR_BYTES = 4096;

/** The reason of a signal may be anything; a stream ends with errors only. */
export function errorOf(reason: unknown): Error | undefined {
  return reason instanceof Error ? reason : undefined;
}

/** `time-limit`, in ms. */
export function tooSlow(program: string, timeLimit: number): CommandFailure {
  return new CommandFailure('time-limit', `"${program}" did not end within ${timeLimit / 1000} s`);
}

/** Reads standard error to its end and keeps its beginning. */
export function listen(stderr: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stderr.on('data', (chunk: Buffer) => {
    if (size < MAX_STDERR_BYTES) chunks.push(chunk.subarray(0, MAX_STDERR_BYTES - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8').trim();
}
