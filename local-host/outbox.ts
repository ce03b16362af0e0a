import type { Result } from '../functions/shared/middleware/exchange.ts';
import { type Delivery, send } from './response.ts';

/**
 * Answers that are ready in the same turn of the event loop leave together at its end. A write to a client that sleeps
 * wakes it, which costs several times the write itself; of the answers that leave together only the first has to.
 */
export class Outbox {
  #waiting: Array<readonly [Result, Delivery]> = [];

  post(result: Result, delivery: Delivery): void {
    if (this.#waiting.push([result, delivery]) === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const [result, delivery] of due) {
      try {
        send(result, delivery);
      } catch (error) {
        giveUp(delivery, error);
      }
    }
  }
}

/** Closes the connection of a request that cannot be answered, and keeps the cause in the log. */
export function giveUp({ response, logger }: Pick<Delivery, 'response' | 'logger'>, error: unknown): void {
  logger.error({ err: error }, 'a request could not be answered');
  response.destroy();
}
