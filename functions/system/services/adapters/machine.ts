import type { System } from '../../../shared/allowed-units.ts';
import type { Running } from '../../../shared/kit/child-process/running.ts';

export interface CommandLimits {
  /** Ends the command on abort. */
  readonly signal: AbortSignal;
  /** In ms. */
  readonly timeLimit: number;
}

export type Command = readonly [program: string, ...args: string[]];

/** A computer on which commands can be run. */
export interface Machine {
  readonly system: System;
  /** Folder with journal files to read instead of the system journal. */
  readonly journalDir: string | undefined;
  /** @throws CommandFailure `unreachable`; the reason of the signal. */
  start(command: Command, limits: CommandLimits): Promise<Running>;
  close(): void;
}
