/** So many requests take about 5 ms on a small computer. */
const MAX_STARTS_PER_TURN = 16;

/**
 * Starts at most 16 requests in each turn of the event loop, in order of arrival; the others wait for the next turns.
 * When hundreds of clients send at the same moment, a stop, which is started without this, waits for 16 of them and not
 * for all.
 */
export class RequestPace {
  readonly #perTurn: number;
  readonly #waiting: Array<() => void> = [];
  #started = 0;

  constructor(perTurn = MAX_STARTS_PER_TURN) {
    this.#perTurn = perTurn;
  }

  start<T>(work: () => Promise<T>): Promise<T> {
    if (this.#started === 0) setImmediate(() => this.#nextTurn());
    if (this.#started < this.#perTurn) {
      this.#started += 1;
      return work();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          work().then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #nextTurn(): void {
    const now = this.#waiting.splice(0, this.#perTurn);
    this.#started = now.length;
    if (now.length > 0) setImmediate(() => this.#nextTurn());
    for (const start of now) start();
  }
}
