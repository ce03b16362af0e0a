/** Messages that are sent several times. What stands for later is dropped when the robot is stopped or out of reach. */
export class Repeats {
  readonly #running = new Set<() => void>();

  /** Calls `send` now and so often in all; resolves after the last time, or when it is dropped. */
  run(times: number, everyMs: number, send: () => void): Promise<void> {
    send();
    return new Promise((resolve, reject) => {
      let left = times - 1;
      if (left <= 0) return resolve();
      const drop = () => {
        clearInterval(timer);
        this.#running.delete(drop);
        resolve();
      };
      const timer = setInterval(() => {
        try {
          send();
          left -= 1;
          if (left <= 0) drop();
        } catch (error) {
          drop();
          reject(error);
        }
      }, everyMs).unref();
      this.#running.add(drop);
    });
  }

  dropAll(): void {
    for (const drop of [...this.#running]) drop();
  }
}
