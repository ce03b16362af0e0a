export type Release = () => void;

interface WaitOptions {
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
  /** Longest wait in ms, and the error it ends with. */
  readonly limit?: { readonly ms: number; readonly error: () => Error };
}

/** A number of places. Who finds none free waits, first come, first served. */
export class Semaphore {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** How many are waiting for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** A place, if one is free now. Call the result to release it; only the first call counts. */
  tryAcquire(): Release | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#release();
  }

  /** A place, as soon as one is free. Call the result to release it; only the first call counts. */
  acquire({ signal, limit }: WaitOptions = {}): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const free = this.tryAcquire();
      if (free) return resolve(free);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const admit = () => {
        settle();
        resolve(this.#release());
      };
      const leave = (error: unknown) => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        settle();
        reject(error);
      };
      const onAbort = () => leave(signal?.reason);
      const timer = limit && setTimeout(() => leave(limit.error()), limit.ms);
      signal?.addEventListener('abort', onAbort);
      this.#waiting.push(admit);
    });
  }

  /** Runs `work` in a place of its own, at once if one is free. Work whose wait has ended is never begun. */
  async run<T>(work: () => Promise<T>, wait: WaitOptions = {}): Promise<T> {
    wait.signal?.throwIfAborted();
    const release = this.tryAcquire() ?? (await this.acquire(wait));
    try {
      return await work();
    } finally {
      release();
    }
  }

  #release(): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
