/** More changes than this within the window are not lost connections: two programs replace each other. */
const MAX_CHANGES = 2;
const WINDOW_MS = 10_000;
/** How long a conflict is reported after the last change that showed it. */
const REMEMBER_MS = 30_000;

/**
 * Distinguishes two programs with one robot id, which disconnect each other at the broker, from one that reconnects.
 */
export class SessionChanges {
  readonly #clock: () => number;
  readonly #windowMs: number;
  #times: number[] = [];
  #conflictUntil = 0;

  constructor(clock: () => number, windowMs = WINDOW_MS) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** The robot has a new session. True when this shows two programs that had not been noticed. */
  changed(): boolean {
    const now = this.#clock();
    this.#times = [...this.#times.filter((time) => now - time < this.#windowMs), now];
    if (this.#times.length <= MAX_CHANGES) return false;
    const noticed = this.hasConflict;
    this.#conflictUntil = now + REMEMBER_MS;
    return !noticed;
  }

  get hasConflict(): boolean {
    return this.#clock() < this.#conflictUntil;
  }
}
