import type { ServerResponse } from 'node:http';
import { type ServiceError, unavailable } from '../functions/shared/errors.ts';
import type { Refusals } from '../functions/shared/refusals.ts';
import { addressBlock } from '../functions/shared/tokens/address-block.ts';
import { ByteShares, type Holding } from './byte-shares.ts';
import type { Limits } from './limits.ts';

/** What an answer that is made while it is read takes up: the buffers of its source and of the connection. */
export const STREAM_BYTES = 128 * 1024;

/**
 * Bounds the bytes of answers that clients have not read yet. An address block that holds its share is answered nothing
 * more but stops and probes; when all together hold too much, the block that holds most loses its oldest answer.
 */
export class AnswerBudget {
  readonly #shares = new ByteShares();
  readonly #limits: Pick<Limits, 'answerBytes' | 'answerBytesEach'>;
  readonly #refusals: Refusals;

  constructor(limits: Pick<Limits, 'answerBytes' | 'answerBytesEach'>, refusals: Refusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  /** To be asked before a request is worked off. @throws ServiceError `component_unavailable`. */
  admit(address: string): void {
    const { answerBytesEach } = this.#limits;
    if (this.#shares.total < answerBytesEach) return;
    const block = addressBlock(address);
    if (this.#shares.bytesOf(block) < answerBytesEach) return;
    this.#refusals.note('answers', 'Refused requests of a client that does not read its answers', { address });
    throw tooMuchUnread();
  }

  /** Counts what is unsent of an answer until it is out or the client has gone. */
  hold(response: ServerResponse, address: string, bytes: number): void {
    const holding: Holding = { owner: addressBlock(address), bytes: 0, takeBack: () => response.destroy() };
    this.#shares.add(holding, bytes);
    response.once('close', () => this.#shares.remove(holding));
    while (this.#shares.total > this.#limits.answerBytes) this.#cutOldest();
  }

  #cutOldest(): void {
    const [oldest] = this.#shares.of(this.#shares.greediest() ?? '');
    if (!oldest) return;
    this.#refusals.note('answers', 'Cut off the oldest unread answer of the client that holds most', {
      block: oldest.owner,
    });
    this.#shares.remove(oldest);
    oldest.takeBack();
  }
}

function tooMuchUnread(): ServiceError {
  return unavailable(
    'answers',
    'This client has not read the answers it was given. Read them, or close their connections, and try again.',
  );
}
