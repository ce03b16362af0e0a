import type { Caller } from '../access.ts';
import type { Config } from '../config.ts';
import { BoundedMap } from '../kit/bounded-map.ts';
import { endOf } from './api-key-record.schema.ts';
import { sessionSeconds, TOKEN_SECONDS } from './claims.ts';
import { type IssuePorts, issue, mayRefresh } from './issue-token.ts';
import type { KeyStore } from './key-store.port.ts';
import type { MintedToken } from './tokens.ts';

/** Tokens with less time left are renewed. */
const RENEWAL_SECONDS = 600;
/** Tokens of at most 900 bytes. */
const MAX_KEPT = 1_000;

interface RenewalParts extends IssuePorts {
  readonly config: Config;
  readonly clock: () => number;
  readonly keyStore: KeyStore;
}

/** New tokens for clients that do not refresh theirs, but take one from a response. */
export class TokenRenewals {
  readonly #parts: RenewalParts;
  /** The newest token per client, so that not every response needs a signature. */
  readonly #kept = new BoundedMap<string, MintedToken>(MAX_KEPT);

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /**
   * Whether the token of a caller is about to expire and a new one would last longer. The last token of a session or of
   * an API key cannot be extended.
   */
  isDue(caller: Caller, listener: 'tcp' | 'socket'): boolean {
    const { expiresAt } = caller;
    if (expiresAt === undefined || expiresAt - this.#now() >= RENEWAL_SECONDS) return false;
    return mayRefresh(caller, listener) && this.#nextEnd(caller) > expiresAt;
  }

  /**
   * Returns a new token for the same client; undefined if this one has ended since the request arrived, for example by a
   * logout.
   */
  async renew(token: string): Promise<string | undefined> {
    const caller = await this.#stillGood(token);
    if (!caller) return undefined;
    const kept = this.#kept.get(caller.clientId);
    if (kept && this.#isGood(kept, caller)) return kept.token;
    const minted = await issue(this.#parts, caller, 'refresh');
    this.#kept.delete(caller.clientId);
    this.#kept.set(caller.clientId, minted);
    return minted.token;
  }

  async #stillGood(token: string): Promise<Caller | undefined> {
    try {
      return await this.#parts.tokens.verify(token);
    } catch {
      return undefined;
    }
  }

  /** Whether it is not due for renewal itself, and the clock has not been set back since. */
  #isGood({ expiresAt, issuedAt }: MintedToken, caller: Caller): boolean {
    const now = this.#now();
    return issuedAt <= now && (expiresAt - now >= RENEWAL_SECONDS || expiresAt >= this.#nextEnd(caller));
  }

  #nextEnd({ authTime = Number.POSITIVE_INFINITY, keyId }: Caller): number {
    const key = this.#parts.keyStore.findById(keyId);
    const keyEndsAt = key ? Math.floor(endOf(key) / 1000) : Number.POSITIVE_INFINITY;
    return Math.min(keyEndsAt, Math.floor(this.#now()) + TOKEN_SECONDS, authTime + sessionSeconds(this.#parts.config));
  }

  /** Seconds since the epoch. */
  #now(): number {
    return this.#parts.clock() / 1000;
  }
}
