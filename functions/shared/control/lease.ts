import type { AccessLevel } from '../access.ts';
import type { Logger } from '../observability/logger.ts';
import type { Fence } from './fence.ts';
import type { LeaseStanding } from './lease.schema.ts';

/** How long a shutdown waits for the motion under the last lease to end. */
export const LEASE_CLOSE_MS = 2_000;

/** The holder of a lease: one instance of a client, such as a tab. */
export interface LeaseHolder {
  readonly clientId: string;
  /** Of its API key; `local` over the Unix socket. */
  readonly keyId: string;
  /** Random, chosen by the client: tabs that share a token do not share a lease. */
  readonly instance: string;
  readonly accessLevel: AccessLevel;
  readonly username: string | undefined;
  /** Name of the API key; `local` over the Unix socket. */
  readonly keyName: string;
}

/** A client's request for the lease. */
export interface LeaseClaim {
  readonly holder: LeaseHolder;
  /** Silence in ms after which the lease is no longer fresh. */
  readonly ttlMs: number;
}

/** A lease on the robot, as its holder sees it. Times are in ms since the epoch. */
export interface Lease {
  /** The secret that commands send in the `Lease` header. */
  readonly id: string;
  readonly holder: LeaseHolder;
  readonly ttlMs: number;
  /** Number of the fence when the lease was acquired, taken or revived. */
  readonly generation: number;
  readonly since: number;
  readonly expiresAt: number;
}

/** The lease that was granted last, fresh or stale. */
export interface Held {
  readonly id: string;
  claim: LeaseClaim;
  readonly generation: number;
  /** When (`arrivalStamp`) it was granted. */
  readonly givenAt: number;
  /** In ms since the epoch. */
  readonly since: number;
  fresh: boolean;
  /** Monotonic times at which it ends: because of silence, and for a USER because of its maximum duration. */
  silentAt: number;
  endsAt: number;
  /** When (`arrivalStamp`) motion that ends with it was last started; undefined once that was stopped. */
  movedAt: number | undefined;
}

/** How the lease came into its present state. */
export type LeaseChange = 'acquired' | 'taken' | 'revived' | 'released' | 'lapsed';

/** What the register needs to know about a command before it is sent. */
export interface LeasedCommand {
  /** Value of its `Lease` header. */
  readonly lease: string | undefined;
  readonly clientId: string;
  readonly motion: boolean;
  /** Whether the motion it starts continues when the lease ends. */
  readonly outlivesLease: boolean;
}

/** Dependencies of the register. */
export interface LeaseWorld {
  readonly fence: Fence;
  readonly logger: Logger;
  /** The current time in ms since the epoch, for clients. */
  readonly clock: () => number;
  /** The current time in ms of a monotonic clock, for expiry. */
  readonly monotonic: () => number;
  /** Whether motion needs a lease even while nobody holds one. */
  readonly required: boolean;
  /** Maximum duration of a USER's lease in ms, however often it is kept. */
  readonly userMaxMs: number;
  /** Called with every change; `holder` is the current or former holder. */
  readonly onChange?: (change: LeaseChange, standing: LeaseStanding, holder: LeaseHolder) => void;
  /** Called before motion is sent that ends with the lease. */
  readonly onMotion?: () => void;
}
