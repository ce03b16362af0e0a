import { BudgetExceeded } from '../observability/budget-exceeded.ts';

/**
 * A number of places that API keys share. A key may have at most as many as are free for the others: one alone gets
 * half of them, and however many one key asks for, the next finds some free.
 */
export class Shares {
  readonly #places: number;
  /** What holds them, in the plural: `missions`. */
  readonly #what: string;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(places: number, what: string) {
    this.#places = places;
    this.#what = what;
  }

  /** Takes a place. @returns a function that releases it, to be called once. @throws BudgetExceeded `busy`. */
  take(owner: string): () => void {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#places - this.#total) throw this.#usedUp(own);
    this.#taken.set(owner, own + 1);
    this.#total += 1;
    return () => this.#release(owner);
  }

  #release(owner: string): void {
    const left = (this.#taken.get(owner) ?? 0) - 1;
    this.#total -= 1;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }

  #usedUp(own: number): BudgetExceeded {
    return new BudgetExceeded('commands', 'busy', {
      detail: `${own} ${this.#what} of this key are under way, and the places that are left are kept for other keys. This one was not begun. Wait for one to end, or cancel one.`,
      headers: { 'retry-after': '5' },
      members: { command_ran: 'no' },
    });
  }
}
