import { signal } from '@preact/signals';

export interface Sample {
  readonly atMs: number;
  readonly value: number;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}

const BATTERY_EVERY_MS = 5000;
const MAX_SAMPLES = 720;
const MIN_STEP_M = 0.02;
const MAX_POINTS = 500;

/** The battery since the page was opened: an hour at most. */
export const batteryCourse = signal<readonly Sample[]>([]);
/** Where the robot has been since the page was opened. */
export const trail = signal<readonly Point[]>([]);

export function noteBattery(value: number): void {
  const atMs = Date.now();
  const last = batteryCourse.value.at(-1);
  if (last && atMs - last.atMs < BATTERY_EVERY_MS && Math.abs(last.value - value) < 1) return;
  batteryCourse.value = [...batteryCourse.value, { atMs, value }].slice(-MAX_SAMPLES);
}

export function notePose(point: Point): void {
  const last = trail.value.at(-1);
  if (last && Math.hypot(last.x - point.x, last.y - point.y) < MIN_STEP_M) return;
  trail.value = [...trail.value, point].slice(-MAX_POINTS);
}

export function forgetCourses(): void {
  batteryCourse.value = [];
  trail.value = [];
}
