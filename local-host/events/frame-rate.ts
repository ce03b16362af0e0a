const WINDOW_MS = 1_000;

/** Counts the frames of a client in each second. */
export class FrameRate {
  readonly #perSecond: number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** False for a frame beyond the limit. `now` in ms of a clock that is never set back. */
  take(now: number): boolean {
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#perSecond;
  }
}
