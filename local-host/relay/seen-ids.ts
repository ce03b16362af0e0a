/** Ids of messages, each remembered as long as it could come again and still be taken. Holds at most `limit` of them. */
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
   * `new` the first time, and it is remembered until then (ms since the epoch). `full` when as many as are allowed are
   * still of use: to forget one of those would let its message run twice.
   */
  take(id: string, until: number, now: number): 'new' | 'seen' | 'full' {
    if (this.#until.has(id)) return 'seen';
    if (this.#until.size >= this.#limit) this.#forget(now);
    if (this.#until.size >= this.#limit) return 'full';
    this.#until.set(id, until);
    return 'new';
  }

  #forget(now: number): void {
    for (const [id, until] of this.#until) if (until < now) this.#until.delete(id);
  }
}
