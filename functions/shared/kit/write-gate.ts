import { ServiceError } from '../errors.ts';

/** How long a write waits while the gate is closed, and closing it for the writes under way, in ms. */
const MAX_WAIT_MS = 5_000;

/**
 * Writes to the robot's files go through it beside each other, and wait while it is closed because all of the files are
 * being replaced.
 */
export class WriteGate {
  readonly #maxWaitMs: number;
  #inside = 0;
  #closed = false;
  readonly #waiting = new Set<() => void>();

  constructor(maxWaitMs: number = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs a write, as soon as the gate is open. Error: busy, after 5 s. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    await this.#until(() => !this.#closed, 'The whole robot is being restored.');
    this.#inside += 1;
    try {
      return await write();
    } finally {
      this.#inside -= 1;
      this.#wake();
    }
  }

  /** Runs work with the gate closed, when no write is under way any more. Error: busy, after 5 s. */
  async close<T>(work: () => Promise<T>): Promise<T> {
    await this.#until(() => !this.#closed, 'The whole robot is being restored already.');
    this.#closed = true;
    try {
      await this.#until(() => this.#inside === 0, 'A long write is under way.');
      return await work();
    } finally {
      this.#closed = false;
      this.#wake();
    }
  }

  async #until(holds: () => boolean, why: string): Promise<void> {
    const end = performance.now() + this.#maxWaitMs;
    while (!holds()) {
      const left = end - performance.now();
      if (left <= 0) throw busy(why);
      await this.#change(left);
    }
  }

  /** Waits for a write or the closing to end, for so many ms at most. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, ms);
      this.#waiting.add(settle);
    });
  }

  #wake(): void {
    for (const settle of [...this.#waiting]) settle();
  }
}

function busy(why: string): ServiceError {
  return new ServiceError('busy', {
    detail: `${why} Nothing was changed; try again in a moment.`,
    headers: { 'retry-after': '2' },
  });
}
