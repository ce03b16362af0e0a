/** Consumers served in one turn of the event loop; between turns other work, such as a stop, gets in. */
const PER_TURN = 32;

/** Serves consumers a few at a time, however many an event goes to. */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #scheduled = false;

  /** Calls `serve` soon, once for all requests until then. */
  request(serve: () => void): void {
    this.#waiting.add(serve);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    let left = PER_TURN;
    for (const serve of this.#waiting) {
      if (left === 0) break;
      left -= 1;
      this.#waiting.delete(serve);
      serve();
    }
    this.#scheduled = this.#waiting.size > 0;
    if (this.#scheduled) setImmediate(() => this.#run());
  }
}
