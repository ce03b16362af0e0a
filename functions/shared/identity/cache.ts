import type { Caller } from '../access.ts';
import { BoundedMap } from '../kit/bounded-map.ts';
import type { Revocations } from './revocations.port.ts';

/** A token with a valid signature and valid claims. What can change afterwards is checked at every use. */
export interface VerifiedToken {
  readonly caller: Caller;
  readonly kid: string;
  /** Seconds since the epoch, like the next one. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Of a token minted over the Unix socket, see {@link Revocations.socketGeneration}. */
  readonly socketGeneration: string;
}

/** Verified tokens by their text, at most `limit` of them; the oldest are dropped first. */
export class TokenCache extends BoundedMap<string, VerifiedToken> {
  constructor(limit = 10_000) {
    super(limit);
  }

  /**
   * Remembers a token, and forgets the oldest ones that have expired before `usefulAfter` (seconds since the epoch).
   */
  remember(token: string, verified: VerifiedToken, usefulAfter: number): void {
    for (const [oldest, { expiresAt }] of this) {
      if (expiresAt > usefulAfter) break;
      this.delete(oldest);
    }
    this.set(token, verified);
  }
}
