/** The pauses between messages that are sent several times, and what ends them early. */
export class Pauses {
  readonly #running = new Map<(error: unknown) => void, boolean>();

  /** Resolves after so many ms; rejects with what {@link end} is given. */
  wait(ms: number, isMotion: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const quit = (error: unknown) => {
        clearTimeout(timer);
        this.#running.delete(quit);
        reject(error);
      };
      const timer = setTimeout(() => {
        this.#running.delete(quit);
        resolve();
      }, ms).unref();
      this.#running.set(quit, isMotion);
    });
  }

  /** Ends the pauses of all messages, or of those that move the robot. */
  end(error: unknown, which: 'all' | 'motion'): void {
    for (const [quit, isMotion] of [...this.#running]) if (which === 'all' || isMotion) quit(error);
  }
}
