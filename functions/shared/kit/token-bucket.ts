/** A token bucket: allows a burst, and a rate per second after that. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #refilledAt = performance.now();

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
  }

  /** Takes `count` tokens; if there are too few, takes none and returns false. */
  take(count = 1): boolean {
    this.#refill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Time in ms until a token is available. */
  get waitMs(): number {
    this.#refill();
    return Math.max(0, ((1 - this.#tokens) / this.#perSecond) * 1000);
  }

  #refill(): void {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#refilledAt) / 1000) * this.#perSecond);
    this.#refilledAt = now;
  }
}
