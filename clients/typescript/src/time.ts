/** Milliseconds that a suspended computer does not forget, and that a set clock does not shorten. */
export class Stopwatch {
  readonly #monotonic = performance.now();
  readonly #wall = Date.now();

  elapsedMs(): number {
    return Math.max(performance.now() - this.#monotonic, Date.now() - this.#wall);
  }
}

/** Waits, or until the signal says otherwise. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/** A timer that keeps no program alive, where the platform has such timers. */
export function backgroundTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.(); // as: a number in browsers, an object in Node
  return timer as ReturnType<typeof setTimeout>; // as: it came from there
}
