import type { Workplace } from './sandbox.port.ts';

/** Whom a run's requests are from, and under which lease its commands are sent. */
export interface RunIdentity {
  readonly runId: string;
  readonly lease: string | undefined;
}

/** The listeners through which a run reaches the robot. */
export interface RunDoor {
  /** From now on nothing of this run is accepted except for a stop. */
  refuse(): void;
  /** Closes the listeners and their connections. Never rejects. */
  close(): Promise<void>;
}

/** Opens the sockets of a run; provided by the host. */
export type OpenRunDoor = (identity: RunIdentity, workplace: Workplace) => Promise<RunDoor>;
