/** Lets at most so many pieces of work run at once; the others wait in the order of their arrival. */
export class Turnstile {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Runs `work` when its turn comes. Work whose signal aborts while it waits is never begun. */
  async pass<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
