/** Node accepts one connection a turn: so many newcomers come in between two heavy pieces of work. */
const TURNS_BETWEEN = 64;

/**
 * Lets one of those who wait through every 64 turns of the event loop, the first at the end of the present one. What is
 * heavy goes through here, so that whatever else has arrived, a stop above all, waits for one of them and not for all.
 */
export class LoopTurns {
  readonly #waiting: Array<() => void> = [];
  /** Turns until the next one may pass; it counts down only while somebody waits, or has just passed. */
  #left = 0;
  #turning = false;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#turning) this.#turn();
    });
  }

  #turn(): void {
    this.#turning = true;
    setImmediate(() => {
      if (this.#left > 0) this.#left -= 1;
      else if (this.#waiting.length > 0) {
        this.#waiting.shift()?.();
        this.#left = TURNS_BETWEEN;
      } else {
        this.#turning = false;
        return;
      }
      this.#turn();
    });
  }
}
