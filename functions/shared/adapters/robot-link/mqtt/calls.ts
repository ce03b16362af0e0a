import { randomBytes } from 'node:crypto';
import type { RobotAnswer } from '../port.ts';

interface Call {
  readonly settle: (result: RobotAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/** The questions that wait for an answer, by their id. */
export class Calls {
  readonly #calls = new Map<string, Call>();

  get size(): number {
    return this.#calls.size;
  }

  /** Asks under a new id and waits. `ask` throws when nothing was sent; an abort forgets the question at once. */
  begin(signal: AbortSignal, ask: (id: string) => void): Promise<RobotAnswer> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = randomBytes(16).toString('base64url');
    return new Promise<RobotAnswer>((resolve, reject) => {
      const forget = () => {
        this.#calls.delete(id);
        signal.removeEventListener('abort', abandon);
      };
      const call: Call = {
        settle: (result) => {
          forget();
          resolve(result);
        },
        fail: (error) => {
          forget();
          reject(error);
        },
      };
      const abandon = () => call.fail(signal.reason);
      signal.addEventListener('abort', abandon);
      this.#calls.set(id, call);
      try {
        ask(id);
      } catch (error) {
        call.fail(error);
      }
    });
  }

  /** The question with this id, if it still waits. */
  find(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  failAll(error: unknown): void {
    for (const call of [...this.#calls.values()]) call.fail(error);
  }
}
