import { busy } from './failure.ts';

type Waiting = { readonly begin: () => void; readonly giveUp: NodeJS.Timeout };

/** How long a write waits for the one before, in ms; an import may take minutes. */
const WAIT_MS = 5_000;
const MOST_WAITING = 1_000;

/** Lets writes through one at a time. Who waited too long is refused, and then never runs. */
export class Turns {
  readonly #waiting: Waiting[] = [];
  #taken = false;

  /** Error: busy. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken) await this.#wait();
    this.#taken = true;
    try {
      return await work();
    } finally {
      this.#taken = false;
      this.#next();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) throw busy('Too many writes are waiting.');
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(busy('A long write to the database is under way.'));
      }, WAIT_MS);
      const waiting: Waiting = { begin: resolve, giveUp };
      this.#waiting.push(waiting);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.giveUp);
    this.#taken = true; // already now: a newcomer must not slip in before the one who waited goes on
    next.begin();
  }
}
