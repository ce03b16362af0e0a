import type { Logger } from '../observability/logger.ts';
import type { JOG_ENDS, JOG_FRAMES } from '../observability/metrics.port.ts';
import type { Fence } from './fence.ts';
import type { LeaseRegister } from './lease-register.ts';
import type { MotionGuard } from './motion-guard.port.ts';

/** Where frames come from: one connection or one request. */
export interface JogSource {
  readonly clientId: string;
  readonly keyId: string;
  readonly address: string;
  readonly listener: 'tcp' | 'socket';
}

/** The answer to a frame. */
export interface JogOutcome {
  /** null if the frame had none. */
  readonly seq: number | null;
  /** For the next frame to echo. */
  readonly stamp: string;
  /** The frame was dropped because the previous motion has not ended yet. */
  readonly waiting?: true;
  /** Why the frame was refused. */
  readonly error?: unknown;
}

/** What became of a frame. */
export type JogFrameFate = (typeof JOG_FRAMES)[number];

/**
 * Why a jog ended: no newer frame arrived in time; its connection was closed; there was a stop or the lease changed; a
 * drive replaced it; the previous motion did not end; the guard
 * gave no sign of life; or the service is shutting down.
 */
export type JogEnd = (typeof JOG_ENDS)[number];

/** Summary of a jog that has ended. */
export interface JogSummary {
  readonly why: JogEnd;
  /** Frames that moved the robot. */
  readonly frames: number;
  readonly ms: number;
}

/** Dependencies of the controller. */
export interface JogWorld {
  readonly leases: LeaseRegister;
  readonly fence: Fence;
  readonly logger: Logger;
  /** The current time in ms of a monotonic clock. */
  readonly monotonic: () => number;
  /** Limits of this service for manual driving, in m/s and rad/s. */
  readonly maxLinear: number;
  readonly maxAngular: number;
  /** Absent: the robot needs none. */
  readonly guard?: MotionGuard;
  readonly onFrame?: (fate: JogFrameFate) => void;
  readonly onBegin?: (source: JogSource) => void;
  readonly onEnd?: (source: JogSource, summary: JogSummary) => void;
}
