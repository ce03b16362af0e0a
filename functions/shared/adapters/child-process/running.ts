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
  /** Settles when the command has ended; rejects with {@link CommandFailure} or with the reason of the caller's signal. */
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
export const MAX_STDERR_BYTES = 4096;
