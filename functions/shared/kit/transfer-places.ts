import { BudgetExceeded } from '../observability/budget-exceeded.ts';

/** Files that arrive, or have arrived and are being read, at the same time. */
const MAX_TRANSFERS = 4;

/** Places for files that arrive: one for each API key, four in all. */
export class TransferPlaces {
  readonly #owners = new Set<string>();

  /** Takes a place. @returns a function that releases it. @throws BudgetExceeded `busy`. */
  take(owner: string): () => void {
    if (this.#owners.has(owner)) throw tooMany('A file is arriving with this key already, or is being read.');
    if (this.#owners.size >= MAX_TRANSFERS) throw tooMany(`${MAX_TRANSFERS} files are arriving already.`);
    this.#owners.add(owner);
    return () => this.#owners.delete(owner);
  }
}

function tooMany(why: string): BudgetExceeded {
  return new BudgetExceeded('transfers', 'busy', {
    detail: `${why} Nothing was changed; try again when it is done.`,
    headers: { 'retry-after': '2' },
  });
}
