import type { ServerResponse } from 'node:http';
import { type ServiceError, unavailable } from '../../functions/shared/errors.ts';
import { addressBlock } from '../../functions/shared/identity/address-block.ts';
import type { Refusals } from '../../functions/shared/observability/refusals.ts';
import { type Allocation, ByteUsage } from './byte-usage.ts';
import type { Limits } from './limits.ts';

/** Memory taken by a streamed response: the buffers of its source and of the connection. */
export const STREAM_BYTES = 128 * 1024;

/**
 * Limits the response bytes that clients have not read yet. An address block over its limit is only answered stop and
 * the probes; when the process is over its limit, the block with the most unread bytes loses its oldest response.
 */
export class AnswerBudget {
  readonly #usage = new ByteUsage();
  readonly #limits: Pick<Limits, 'answerBytes' | 'answerBytesPerBlock'>;
  readonly #refusals: Refusals;

  constructor(limits: Pick<Limits, 'answerBytes' | 'answerBytesPerBlock'>, refusals: Refusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  /** Call before handling a request. @throws ServiceError `component_unavailable`. */
  admit(address: string): void {
    const { answerBytesPerBlock } = this.#limits;
    if (this.#usage.total < answerBytesPerBlock) return;
    const block = addressBlock(address);
    if (this.#usage.bytesOf(block) < answerBytesPerBlock) return;
    this.#refusals.note('answers', 'Rejected requests from a client that does not read its responses', { address });
    throw tooMuchUnread();
  }

  /** Counts the unsent bytes of a response until it has been sent or the client is gone. */
  track(response: ServerResponse, address: string, bytes: number): void {
    const allocation: Allocation = { owner: addressBlock(address), bytes: 0, evict: () => response.destroy() };
    this.#usage.add(allocation, bytes);
    response.once('close', () => this.#usage.remove(allocation));
    while (this.#usage.total > this.#limits.answerBytes) this.#evictOldest();
  }

  #evictOldest(): void {
    const [oldest] = this.#usage.of(this.#usage.largestOwner() ?? '');
    if (!oldest) return;
    this.#refusals.note('answers', 'Dropped the oldest unread response of the client with the most unread bytes', {
      block: oldest.owner,
    });
    this.#usage.remove(oldest);
    oldest.evict();
  }
}

function tooMuchUnread(): ServiceError {
  return unavailable(
    'answers',
    'This client has too many unread responses. Read them or close their connections, then try again.',
  );
}
