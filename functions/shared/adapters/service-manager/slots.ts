/** A number of places; who finds none waits in line. */
export class Slots {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** A place at once, or undefined. Call the result, once, to leave it. */
  take(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#leave();
  }

  /** A place as soon as there is one. @throws the reason of the signal. */
  async wait(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const taken = this.take();
    if (taken) return taken;
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#leave());
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(admit);
    });
  }

  /** Hands the place to the first in line, if there is one. Works once. */
  #leave(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
