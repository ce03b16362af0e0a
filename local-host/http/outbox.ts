import type { Result } from '../../functions/shared/pipeline/exchange.ts';
import { type Delivery, send } from './response.ts';

/**
 * Sends the responses that become ready within one turn of the event loop together at its end. A write that wakes a
 * sleeping client costs several times as much as the write itself; in a batch only the first write pays for that.
 */
export class Outbox {
  #queue: Array<readonly [Result, Delivery]> = [];

  post(result: Result, delivery: Delivery): void {
    if (this.#queue.push([result, delivery]) === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const batch = this.#queue;
    this.#queue = [];
    for (const [result, delivery] of batch) {
      try {
        send(result, delivery);
      } catch (error) {
        abortResponse(delivery, error);
      }
    }
  }
}

/** Logs why a request could not be answered, and closes its connection. */
export function abortResponse({ response, logger }: Pick<Delivery, 'response' | 'logger'>, error: unknown): void {
  logger.error({ err: error }, 'could not answer a request');
  response.destroy();
}
