import { type ServiceError, unavailable } from '../functions/shared/errors.ts';
import type { Refusals } from '../functions/shared/refusals.ts';
import { ByteShares, type Holding } from './byte-shares.ts';
import type { Limits } from './limits.ts';
import { LoopTurns } from './loop-turns.ts';

/** One body from its first byte to the answer of its request. */
export interface BodyShare extends Holding {
  /** No byte is missing any more: it is not refused from now on. */
  complete: boolean;
}

/**
 * Bounds the bytes of bodies that are arriving or being worked off. Where they do not fit, the oldest unfinished body is
 * refused: the one of the same owner when that one's share is used up, else of the owner that holds most.
 */
export class BodyBudget {
  /** Of the large bodies one is worked off in each turn of the event loop. */
  readonly turns = new LoopTurns();
  readonly #shares = new ByteShares<BodyShare>();
  readonly #limits: Pick<Limits, 'bodyBytes' | 'bodyBytesEach'>;
  readonly #refusals: Refusals;

  constructor(limits: Pick<Limits, 'bodyBytes' | 'bodyBytesEach'>, refusals: Refusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  /** Begins a body. `refuse` is called at most once, with `component_unavailable`, when it has to make room. */
  begin(owner: string, refuse: (error: ServiceError) => void): BodyShare {
    return { owner, bytes: 0, complete: false, takeBack: () => refuse(tooManyBodies()) };
  }

  /** May refuse this very body. */
  add(body: BodyShare, bytes: number): void {
    this.#shares.add(body, bytes);
    const { bodyBytes, bodyBytesEach } = this.#limits;
    while (this.#shares.bytesOf(body.owner) > bodyBytesEach) this.#refuse(this.#oldestOf(body.owner) ?? body);
    while (this.#shares.total > bodyBytes) {
      this.#refuse(this.#oldestOf(this.#shares.greediest() ?? body.owner) ?? body);
    }
  }

  end(body: BodyShare): void {
    this.#shares.remove(body);
  }

  #oldestOf(owner: string): BodyShare | undefined {
    for (const body of this.#shares.of(owner)) if (!body.complete) return body;
    return undefined;
  }

  #refuse(body: BodyShare): void {
    this.#refusals.note('bodies', 'Refused the oldest unfinished request body', { owner: body.owner });
    this.#shares.remove(body);
    body.takeBack();
  }
}

function tooManyBodies(): ServiceError {
  return unavailable(
    'request bodies',
    'Too many large bodies are arriving at once, and this one had waited longest. Send fewer at a time.',
  );
}
