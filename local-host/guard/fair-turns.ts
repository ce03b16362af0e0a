/** So much work of one owner may wait. */
const MAX_WAITING = 256;

/**
 * Runs the work of many owners, one piece in each turn of the event loop and each owner in turn, so that whoever asks for
 * much delays nobody else. Where nothing waits, work runs at once.
 */
export class FairTurns {
  /** What waits, by owner; the first owner is next. */
  readonly #waiting = new Map<string, Array<() => void>>();
  #running = false;

  /** @returns false if that much work of this owner waits already that this is not done. */
  run(owner: string, work: () => void): boolean {
    const own = this.#waiting.get(owner);
    if (own) {
      if (own.length >= MAX_WAITING) return false;
      own.push(work);
    } else if (this.#running) {
      this.#waiting.set(owner, [work]);
    } else {
      this.#running = true;
      setImmediate(() => this.#next());
      work();
    }
    return true;
  }

  #next(): void {
    const [entry] = this.#waiting;
    if (!entry) {
      this.#running = false;
      return;
    }
    const [owner, works] = entry;
    const [work, ...later] = works;
    this.#waiting.delete(owner);
    if (later.length > 0) this.#waiting.set(owner, later);
    setImmediate(() => this.#next());
    work?.();
  }
}
