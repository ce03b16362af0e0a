import type { AccessLevel, Caller } from '../access.ts';
import type { KeyStore } from '../adapters/key-store/port.ts';
import type { SigningKeys } from '../adapters/signing-keys/port.ts';
import type { Config } from '../config.ts';

/** What a new token shall say. Without a clientId a new one (UUID) is made. */
export interface Grant {
  readonly clientId?: string;
  readonly accessLevel: AccessLevel;
  readonly keyId: string;
  readonly username?: string;
  readonly mayPublish: boolean;
}

export interface MintedToken {
  readonly token: string;
  readonly clientId: string;
  readonly accessLevel: AccessLevel;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface Tokens {
  /** Signs a token of 30 minutes (specification, sections 5.2 to 5.9). */
  mint(grant: Grant): Promise<MintedToken>;
  /**
   * Whom the token speaks for. Answers without a promise when the token was verified before.
   * @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`.
   */
  verify(token: string, options?: { readonly graceSeconds?: number }): Caller | Promise<Caller>;
}

export interface TokenParts {
  readonly config: Config;
  readonly clock: () => number;
  readonly signingKeys: SigningKeys;
  readonly keyStore: KeyStore;
}

export function createTokens(_parts: TokenParts): Tokens {
  throw new Error('being written');
}
