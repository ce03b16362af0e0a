import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../../json.ts';
import { robotUnavailable } from '../robot-unavailable.ts';

/** Most answers that are waited for at once. */
export const MOST_PENDING = 1000;

interface Pending {
  readonly since: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** The service calls whose answers are still to come, by their ids. */
export class Calls {
  readonly #prefix = randomUUID();
  readonly #pending = new Map<string, Pending>();
  #count = 0;

  get size(): number {
    return this.#pending.size;
  }

  /** For how many ms the oldest call has been waiting for its answer. */
  longestWait(): number {
    const [oldest] = this.#pending.values();
    return oldest ? performance.now() - oldest.since : 0;
  }

  /**
   * Waits for the answer to what `send` sends under a new id. Ends with the signal's reason when that aborts.
   * @throws ServiceError `robot_unavailable` when too many wait already, or what `send` throws.
   */
  ask(send: (id: string) => void, signal: AbortSignal, urgent = false): Promise<JsonObject> {
    if (!urgent && this.#pending.size >= MOST_PENDING) {
      throw robotUnavailable('Too many commands wait for the robot already; this one was not sent.');
    }
    this.#count += 1;
    const id = `${this.#prefix}:${this.#count}`;
    return new Promise<JsonObject>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        signal.removeEventListener('abort', quit);
        this.#pending.delete(id);
      };
      const pending: Pending = {
        since: performance.now(),
        resolve(answer) {
          leave();
          resolve(answer);
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      const quit = () => pending.reject(signal.reason);
      this.#pending.set(id, pending);
      signal.addEventListener('abort', quit);
      try {
        send(id);
      } catch (error) {
        pending.reject(error);
      }
    });
  }

  /** The answer has come. One nobody waits for is dropped. */
  settle(id: string, answer: JsonObject): void {
    this.#pending.get(id)?.resolve(answer);
  }

  /** No answer will come any more. */
  fail(error: unknown, id?: string): void {
    if (id !== undefined) this.#pending.get(id)?.reject(error);
    else for (const { reject } of [...this.#pending.values()]) reject(error);
  }
}
