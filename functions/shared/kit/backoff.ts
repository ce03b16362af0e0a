/** The delays between attempts that fail, in ms: each twice the one before, up to a longest one. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** How many attempts have failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** An attempt has failed: the delay before the next one. */
  fail(): number {
    const delayMs = Math.min(this.#longestMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return delayMs;
  }

  /** As {@link fail}, up to half shorter at random, so that many who failed together do not come back together. */
  failWithJitter(): number {
    return this.fail() * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
