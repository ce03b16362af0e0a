import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { BudgetExceeded } from '../../../shared/observability/budget-exceeded.ts';
import type { Requester } from '../../port.ts';
import { busy } from './failure.ts';

/** How long a write waits for the one before, in ms; an import may take minutes. */
const WRITE_WAIT_MS = 5_000;
const MAX_WAITING_WRITES = 1_000;
/** How long an export, import or restore waits for those of other keys, in ms. */
const TRANSFER_WAIT_MS = 30_000;
const MAX_WAITING_TRANSFERS = 32;

/** Runs one write at a time. One that has waited too long is refused, and never runs. */
export class WriteQueue {
  readonly #places = new Semaphore(1);

  /** Error: busy. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#places.waiting >= MAX_WAITING_WRITES) throw busy('Too many writes are waiting.');
    const error = () => busy('A long write to the database is under way.');
    return this.#places.run(work, { limit: { ms: WRITE_WAIT_MS, error } });
  }
}

/**
 * Runs one export, import or restore at a time. A key has at most one that runs or waits, so that keys take turns
 * however often one of them asks.
 */
export class TransferQueue {
  readonly #places = new Semaphore(1);
  /** What runs or waits, by key: `An import`, for instance. */
  readonly #byOwner = new Map<string, string>();
  #running = '';

  /** Errors: busy, when this key has one already or the others take too long; the reason of the signal. */
  async run<T>(what: string, { owner, signal }: Requester, work: () => Promise<T>): Promise<T> {
    const own = this.#byOwner.get(owner);
    if (own !== undefined) throw underWay(own);
    if (this.#places.waiting >= MAX_WAITING_TRANSFERS) {
      throw busy('Too many exports, imports and restores are waiting.');
    }
    this.#byOwner.set(owner, what);
    const begin = () => {
      this.#running = what;
      return work();
    };
    const error = () => busy(`${this.#running} of another key is under way.`);
    try {
      return await this.#places.run(begin, { signal, limit: { ms: TRANSFER_WAIT_MS, error } });
    } finally {
      this.#byOwner.delete(owner);
    }
  }
}

function underWay(own: string): BudgetExceeded {
  return new BudgetExceeded('transfers', 'busy', {
    detail: `${own} is under way with this key, or waits for its turn. Nothing was changed; try again when it is done.`,
    headers: { 'retry-after': '2' },
  });
}
