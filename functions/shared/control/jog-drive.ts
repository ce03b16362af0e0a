import type { Jog } from '../robot-link/port.ts';
import type { JogSource } from './jog.ts';

/** A jog in progress, from the first frame that moves the robot until it ends. */
export interface Drive {
  source: JogSource;
  readonly begunAt: number;
  readonly ended: AbortController;
  /** Whether the previous motion has ended. */
  way: 'unknown' | 'awaited' | 'clear' | 'blocked';
  /** Why it has not ended, if `blocked`. */
  reason: unknown;
  frames: number;
  /** Monotonic time at which it ends unless a newer frame arrives. */
  until: number;
  silence: NodeJS.Timeout | undefined;
}

/** Where a frame came from, and under which lease. */
export interface FrameOrigin {
  readonly source: JogSource;
  readonly lease: string;
  /** When (`arrivalStamp`) the lease was granted. */
  readonly givenAt: number;
  readonly arrivedAt: number;
  readonly robot: Jog;
}

export function newDrive(source: JogSource, begunAt: number): Drive {
  const ended = new AbortController();
  return { source, begunAt, ended, way: 'unknown', reason: undefined, frames: 0, until: begunAt, silence: undefined };
}
