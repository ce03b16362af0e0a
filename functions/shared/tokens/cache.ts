import type { Caller } from '../access.ts';

/** A token whose signature and claims were right. What can change afterwards is judged anew at every use. */
export interface VerifiedToken {
  readonly caller: Caller;
  readonly kid: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** Verified tokens by their text, at most `limit` of them; the oldest make room for new ones. */
export class TokenCache {
  readonly #entries = new Map<string, VerifiedToken>();
  readonly #limit: number;

  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(token: string): VerifiedToken | undefined {
    return this.#entries.get(token);
  }

  /** Remembers a token, and forgets the oldest ones that are of no use at `usefulAfter` (seconds since the epoch) any more. */
  remember(token: string, verified: VerifiedToken, usefulAfter: number): void {
    for (const [oldest, { expiresAt }] of this.#entries) {
      if (this.#entries.size < this.#limit && expiresAt > usefulAfter) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(token, verified);
  }
}
