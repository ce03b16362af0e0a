import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';

interface Call<A> {
  readonly since: number;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that wait for their answers, by id. */
export class Calls<A> {
  readonly #calls = new Map<string, Call<A>>();

  get size(): number {
    return this.#calls.size;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** For how many ms the oldest call has been waiting for its answer. */
  longestWait(): number {
    const [oldest] = this.#calls.values();
    return oldest ? performance.now() - oldest.since : 0;
  }

  /**
   * Waits for the answer to what `send` sends under a new id.
   * @throws what `send` throws, or the signal's reason as soon as that aborts.
   */
  ask(send: (id: string) => void, signal?: AbortSignal): Promise<A> {
    return new Promise<A>((resolve, reject) => {
      signal?.throwIfAborted();
      const id = randomUUID();
      const settle = () => {
        signal?.removeEventListener('abort', onAbort);
        this.#calls.delete(id);
      };
      const call: Call<A> = {
        since: performance.now(),
        resolve(answer) {
          settle();
          resolve(answer);
        },
        reject(error) {
          settle();
          reject(error);
        },
      };
      const onAbort = () => call.reject(signal?.reason);
      this.#calls.set(id, call);
      signal?.addEventListener('abort', onAbort);
      try {
        send(id);
      } catch (error) {
        call.reject(error);
      }
    });
  }

  /** The answer has come. One that nobody waits for is dropped. */
  settle(id: string, answer: A): void {
    this.#calls.get(id)?.resolve(answer);
  }

  fail(id: string, error: unknown): void {
    this.#calls.get(id)?.reject(error);
  }

  /** No answer will come any more. */
  failAll(error: unknown): void {
    for (const { reject } of [...this.#calls.values()]) reject(error);
  }
}
