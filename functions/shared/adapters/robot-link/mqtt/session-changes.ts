/** More changes than this within the window are no lost connection: two programs take the place of each other. */
const MOST_CHANGES = 2;
const WINDOW_MS = 10_000;
/** How long the two are said to be there after the last change that showed them. */
const REMEMBER_MS = 30_000;

/** Tells two programs with one robot id, which throw each other out of the broker, from one that reconnects. */
export class SessionChanges {
  readonly #clock: () => number;
  #times: number[] = [];
  #twinsUntil = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The robot has a new session. True when this shows two programs that had not been noticed. */
  changed(): boolean {
    const now = this.#clock();
    this.#times = [...this.#times.filter((time) => now - time < WINDOW_MS), now];
    if (this.#times.length <= MOST_CHANGES) return false;
    const noticed = this.twins;
    this.#twinsUntil = now + REMEMBER_MS;
    return !noticed;
  }

  get twins(): boolean {
    return this.#clock() < this.#twinsUntil;
  }
}
