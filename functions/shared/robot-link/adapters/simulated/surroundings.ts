import type { Pose } from './body.ts';

type Spot = { readonly x: number; readonly y: number };

const DOOR_HANDLE = { x: 4.5, y: -1 };
const HANDLE_RANGE_METRES = 2;
const MINUTE = 60_000;
const VISIT_MS = 20_000;

/** Somebody passes by for the first 20 seconds of every minute. */
export function humanInSight(now: number): boolean {
  return now % MINUTE < VISIT_MS;
}

/** The handle of the entrance door is seen from close by. */
export function handleInSight(pose: Pose): boolean {
  return distance(pose, DOOR_HANDLE) <= HANDLE_RANGE_METRES;
}

/** Metres between two spots of the floor. */
export function distance(a: Spot, b: Spot): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
