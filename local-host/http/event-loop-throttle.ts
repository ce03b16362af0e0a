/** Node accepts one connection per turn, so this many new connections get in between two heavy tasks. */
const TURNS_BETWEEN = 32;

/**
 * Admits one heavy task every 32 turns of the event loop, the first at the end of the current turn. Anything else that
 * has arrived meanwhile, above all a stop, then waits for one heavy task and not for all of them. Owners take turns, so
 * that none waits for all the tasks of another.
 */
export class EventLoopThrottle {
  /** By owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Array<() => void>>();
  /** Turns until the next task is admitted. */
  #turnsLeft = 0;
  #running = false;

  /** Settles when the next heavy task of this owner may run. */
  next(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(owner);
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(owner, [resolve]);
      if (!this.#running) this.#run();
    });
  }

  /** Keeps counting turns until the queue is empty and the last task's pause is over. */
  #run(): void {
    this.#running = true;
    setImmediate(() => {
      if (this.#turnsLeft > 0) this.#turnsLeft -= 1;
      else if (this.#waiting.size > 0) {
        this.#admitNext();
        this.#turnsLeft = TURNS_BETWEEN;
      } else {
        this.#running = false;
        return;
      }
      this.#run();
    });
  }

  #admitNext(): void {
    for (const [owner, waiting] of this.#waiting) {
      this.#waiting.delete(owner);
      const [admit, ...others] = waiting;
      if (others.length > 0) this.#waiting.set(owner, others);
      admit?.();
      return;
    }
  }
}
