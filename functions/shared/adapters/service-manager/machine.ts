import type { Running } from '../child-process/running.ts';
import type { System } from './port.ts';

export interface CommandLimits {
  /** Ends the command when it aborts. */
  readonly signal: AbortSignal;
  /** Longest life of the command, in ms. */
  readonly timeLimit: number;
}

export type Words = readonly [program: string, ...args: string[]];

/** A computer on which commands can be started. */
export interface Machine {
  readonly system: System;
  /** Journal files to read there instead of the running journal. */
  readonly journalDir: string | undefined;
  /** @throws CommandFailure `unreachable` when the computer is; the reason of the signal. */
  start(words: Words, limits: CommandLimits): Promise<Running>;
  close(): void;
}
