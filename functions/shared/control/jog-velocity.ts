import type { Velocity } from '../robot-link/port.ts';

export const STILL: Velocity = { vx: 0, vy: 0, wz: 0 };

export interface VelocityLimits {
  /** m/s, the length of (vx, vy). */
  readonly linear: number;
  /** rad/s. */
  readonly angular: number;
}

export function isStill({ vx, vy, wz }: Velocity): boolean {
  return vx === 0 && vy === 0 && wz === 0;
}

/** Limits a velocity, preserving the direction of vx and vy. */
export function clampVelocity({ vx, vy, wz }: Velocity, { linear, angular }: VelocityLimits): Velocity {
  const turn = Math.max(-angular, Math.min(angular, wz));
  if (Math.hypot(vx, vy) <= linear) return { vx, vy, wz: turn };
  const largest = Math.max(Math.abs(vx), Math.abs(vy)); // normalize first: the length of huge vectors overflows
  const [x, y] = [vx / largest, vy / largest];
  const part = linear / Math.hypot(x, y);
  return { vx: x * part, vy: y * part, wz: turn };
}
