import type { ServiceError } from '../../functions/shared/errors.ts';
import { BudgetExceeded } from '../../functions/shared/observability/budget-exceeded.ts';
import { type Allocation, ByteUsage } from './byte-usage.ts';
import { EventLoopThrottle } from './event-loop-throttle.ts';
import type { Limits } from './limits.ts';

/** An incomplete body without a new byte for this long makes room for others. */
const STALL_MS = 1_000;

/** One body, from its first byte until its request is answered. */
interface BodyAllocation extends Allocation {
  /** When its latest byte arrived, in ms. */
  lastByteAt: number;
  /** All bytes have arrived; a complete body is never evicted. */
  complete: boolean;
}

/**
 * Limits the bytes of bodies that are arriving or being processed. When they exceed a limit, an incomplete body is
 * rejected: one of the same owner if the owner's limit is exceeded, otherwise one of the owner with the most bytes. It
 * is the oldest one that has stalled, else the newest: rejecting bodies that still make progress would let none of them
 * complete.
 */
export class BodyBudget {
  /** Spaces out the processing of large bodies over turns of the event loop. */
  readonly throttle = new EventLoopThrottle();
  readonly #usage = new ByteUsage<BodyAllocation>();
  readonly #limits: Pick<Limits, 'bodyBytes' | 'bodyBytesPerOwner'>;
  readonly #clock: () => number;

  constructor(limits: Pick<Limits, 'bodyBytes' | 'bodyBytesPerOwner'>, clock: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Starts a body. `reject` is called at most once, with `component_unavailable`, if the body is evicted. */
  begin(owner: string, reject: (error: ServiceError) => void): BodyAllocation {
    return { owner, bytes: 0, complete: false, lastByteAt: this.#clock(), evict: () => reject(tooManyBodies()) };
  }

  /** May evict this very body. */
  add(body: BodyAllocation, bytes: number): void {
    body.lastByteAt = this.#clock();
    this.#usage.add(body, bytes);
    const { bodyBytes, bodyBytesPerOwner } = this.#limits;
    while (this.#usage.bytesOf(body.owner) > bodyBytesPerOwner) this.#evict(this.#victimOf(body.owner) ?? body);
    while (this.#usage.total > bodyBytes) {
      this.#evict(this.#victimOf(this.#usage.largestOwner() ?? body.owner) ?? body);
    }
  }

  end(body: BodyAllocation): void {
    this.#usage.remove(body);
  }

  #victimOf(owner: string): BodyAllocation | undefined {
    const stalledSince = this.#clock() - STALL_MS;
    let newest: BodyAllocation | undefined;
    for (const body of this.#usage.of(owner)) {
      if (body.complete) continue;
      if (body.lastByteAt <= stalledSince) return body;
      newest = body;
    }
    return newest;
  }

  #evict(body: BodyAllocation): void {
    this.#usage.remove(body);
    body.evict();
  }
}

function tooManyBodies(): ServiceError {
  return new BudgetExceeded('bodies', 'component_unavailable', {
    detail: 'Too many large bodies are arriving at once. Send fewer at a time, and each without a pause.',
    headers: { 'retry-after': '5' },
  });
}
