/** Something that happens once, and those who wait for it. */
export class Moment {
  #passed = false;
  readonly #waiting = new Map<() => void, (error: unknown) => void>();

  get passed(): boolean {
    return this.#passed;
  }

  /** How many wait at present. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** It happens; everybody who waits goes on. */
  pass(): void {
    this.#passed = true;
    for (const go of [...this.#waiting.keys()]) go();
  }

  /** Sends those who wait at present away with an error; it may still happen later. */
  dismiss(error: unknown): void {
    for (const leave of [...this.#waiting.values()]) leave(error);
  }

  /** Resolves when it happens; rejects with the signal's reason at once when that aborts. Leaves no listener behind. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#passed) return resolve();
      if (signal.aborted) return reject(signal.reason);
      const settle = () => {
        signal.removeEventListener('abort', quit);
        this.#waiting.delete(go);
      };
      const go = () => {
        settle();
        resolve();
      };
      const leave = (error: unknown) => {
        settle();
        reject(error);
      };
      const quit = () => leave(signal.reason);
      this.#waiting.set(go, leave);
      signal.addEventListener('abort', quit);
    });
  }
}
