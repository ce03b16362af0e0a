import type { AuditEntry } from '../../audit-trail.port.ts';

/** How long the same action is counted instead of kept again, in ms. */
export const FOLDING_MS = 10_000;
/** Different actions that are counted at once; beyond, every one is kept. */
const MAX_FOLDS = 1000;

interface Fold {
  last: AuditEntry;
  firstAt: string;
  count: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps the first of equal entries (action, subject, client, address and outcome) at once and the others within ten
 * seconds as one, with their count and the time of the first of them.
 */
export class Folding {
  readonly #keep: (entry: AuditEntry) => void;
  readonly #folds = new Map<string, Fold>();

  constructor(keep: (entry: AuditEntry) => void) {
    this.#keep = keep;
  }

  take(entry: AuditEntry): void {
    const { action, subject, client_id, key_id, address, listener, outcome } = entry;
    const key = JSON.stringify([action, subject, client_id, key_id, address, listener, outcome]);
    const fold = this.#folds.get(key);
    if (fold) {
      if (fold.count === 0) fold.firstAt = entry.at;
      fold.last = entry;
      fold.count += 1;
      return;
    }
    this.#keep(entry);
    if (this.#folds.size >= MAX_FOLDS) return;
    const timer = setTimeout(() => this.#end(key), FOLDING_MS).unref();
    this.#folds.set(key, { last: entry, firstAt: entry.at, count: 0, timer });
  }

  /** Keeps what has been counted so far. */
  flush(): void {
    for (const fold of this.#folds.values()) this.#write(fold);
  }

  close(): void {
    for (const key of [...this.#folds.keys()]) this.#end(key);
  }

  #end(key: string): void {
    const fold = this.#folds.get(key);
    this.#folds.delete(key);
    clearTimeout(fold?.timer);
    if (fold) this.#write(fold);
  }

  #write(fold: Fold): void {
    const { last, count, firstAt } = fold;
    fold.count = 0;
    if (count === 1) this.#keep(last);
    else if (count > 1) this.#keep({ ...last, count, first_at: firstAt });
  }
}
