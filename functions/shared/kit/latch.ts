/** Something that happens once, and those who wait for it. */
export class Latch {
  #isOpen = false;
  readonly #waiting = new Map<() => void, (error: unknown) => void>();
  readonly #listeners: Array<() => void> = [];

  /** Whether it has happened. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** How many are waiting. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** It has happened: every wait ends, and later ones end at once. */
  open(): void {
    this.#isOpen = true;
    for (const listener of this.#listeners.splice(0)) listener();
    for (const resolve of [...this.#waiting.keys()]) resolve();
  }

  /** Calls back when it happens, at once when it has; ends of waits with an error do not matter. */
  whenOpen(listener: () => void): void {
    if (this.#isOpen) listener();
    else this.#listeners.push(listener);
  }

  /** Ends the present waits with an error; it may still happen later. */
  rejectWaiting(error: unknown): void {
    for (const reject of [...this.#waiting.values()]) reject(error);
  }

  /** Resolves when it happens; rejects with the signal's reason as soon as that aborts. Leaves no listener behind. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isOpen) return resolve();
      signal?.throwIfAborted();
      const settle = () => {
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.delete(succeed);
      };
      const succeed = () => {
        settle();
        resolve();
      };
      const fail = (error: unknown) => {
        settle();
        reject(error);
      };
      const onAbort = () => fail(signal?.reason);
      this.#waiting.set(succeed, fail);
      signal?.addEventListener('abort', onAbort);
    });
  }
}
