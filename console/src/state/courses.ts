import { signal } from '@preact/signals';

/** What was reported at a moment; null: nothing is known from then on, as while the link is lost. */
export interface Sample {
  readonly atMs: number;
  readonly values: readonly number[] | null;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}

const KEPT_MS = 60 * 60 * 1000;
const MIN_STEP_M = 0.02;
const MAX_POINTS = 500;

/** Values over time, of the last hour since the page was opened. Between two samples nothing changed, or for a moment only. */
export class Course {
  readonly #everyMs: number;
  readonly samples = signal<readonly Sample[]>([]);

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** @param values null: they are not known any more. */
  note(values: readonly number[] | null): void {
    const atMs = Date.now();
    const kept = this.samples.peek().filter((_, n, all) => atMs - (all[n + 1]?.atMs ?? atMs) < KEPT_MS);
    const last = kept.at(-1);
    if (String(last?.values ?? null) === String(values)) return;
    const added: Sample[] = [{ atMs, values }];
    if (last?.values) {
      const isSettled = atMs - last.atMs >= this.#everyMs;
      // It kept its value until now, and only then a line leads to another one.
      if (isSettled) added.unshift({ atMs: values ? atMs - this.#everyMs : atMs, values: last.values });
      // The newest is always there; what lies closer together is left out.
      else if (values && last.atMs - (kept.at(-2)?.atMs ?? 0) < this.#everyMs) kept.pop();
    }
    this.samples.value = [...kept, ...added];
  }
}

/** The level of the battery, in percent. */
export const batteryCourse = new Course(5000);
/** x and y in metres, and the heading in degrees. */
export const poseCourse = new Course(1000);
/** Where the robot has been since the page was opened. */
export const trail = signal<readonly Point[]>([]);

export function notePoint({ x, y }: Point): void {
  const last = trail.peek().at(-1);
  if (last && Math.hypot(last.x - x, last.y - y) < MIN_STEP_M) return;
  trail.value = [...trail.peek(), { x, y }].slice(-MAX_POINTS);
}

export function forgetCourses(): void {
  batteryCourse.samples.value = poseCourse.samples.value = [];
  trail.value = [];
}
