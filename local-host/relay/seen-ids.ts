/**
 * Detects duplicate messages. Remembers each id for as long as a duplicate would still be accepted, at most `limit`
 * ids.
 */
export class SeenIds {
  readonly #until = new Map<string, number>();
  readonly #limit: number;

  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#until.size;
  }

  /**
   * Remembers an id until the given time (ms since the epoch). Returns `full` if `limit` ids are still needed:
   * forgetting one of those would let its message run twice.
   */
  take(id: string, until: number, now: number): 'new' | 'seen' | 'full' {
    if (this.#until.has(id)) return 'seen';
    if (this.#until.size >= this.#limit) this.#removeExpired(now);
    if (this.#until.size >= this.#limit) return 'full';
    this.#until.set(id, until);
    return 'new';
  }

  #removeExpired(now: number): void {
    for (const [id, until] of this.#until) if (until < now) this.#until.delete(id);
  }
}
