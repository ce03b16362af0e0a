import { type AccessLevel, type Caller, RECENT_TOKEN_SECONDS } from '../access.ts';
import type { KeyStore } from '../adapters/key-store/port.ts';
import type { SigningKeys } from '../adapters/signing-keys/port.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { TokenCache, type VerifiedToken } from './cache.ts';
import { LOCAL_KEY_ID } from './claims.ts';
import { mint } from './mint.ts';
import { invalidToken, verifySignature } from './verify.ts';

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
   * @param graceSeconds for how long after its end it is still taken.
   * @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`.
   */
  verify(token: string, graceSeconds?: number): Caller | Promise<Caller>;
}

export interface TokenParts {
  readonly config: Config;
  readonly clock: () => number;
  readonly signingKeys: SigningKeys;
  readonly keyStore: KeyStore;
}

/** How far the clocks of two machines may stand apart. */
const TOLERANCE_SECONDS = 5;
/** Of each robot in a fleet fewer verified tokens are kept: there are many robots. */
const REMEMBERED_PER_ROBOT = 100;

/** Tokens signed by this service. The signature of each is checked once; time, signing key and API key at every use. */
export function createTokens(
  parts: TokenParts,
  cache = new TokenCache(parts.config.fleet ? REMEMBERED_PER_ROBOT : undefined),
): Tokens {
  const { clock } = parts;
  return {
    mint: (grant) => mint(parts, grant),
    verify(token, graceSeconds = 0) {
      const grace = Math.max(graceSeconds, TOLERANCE_SECONDS);
      const now = clock();
      const known = cache.get(token);
      if (known) return stillGood(parts, known, now, grace);
      return verifySignature(parts, token, keptSince(now, grace)).then((verified) => {
        cache.remember(token, verified, now / 1000 - RECENT_TOKEN_SECONDS);
        return stillGood(parts, verified, now, grace);
      });
    },
  };
}

/** A token within its grace was good back then; so must have been its signing key. */
function keptSince(now: number, graceSeconds: number): number {
  return now - graceSeconds * 1000;
}

function stillGood(parts: TokenParts, token: VerifiedToken, now: number, graceSeconds: number): Caller {
  const { signingKeys, keyStore, config } = parts;
  if (now >= (token.expiresAt + graceSeconds) * 1000) {
    throw new ServiceError('token_expired', {
      detail: 'The token has expired. Get a new one from GET /api/v2/auth/; refresh it earlier next time.',
    });
  }
  if (signingKeys.publicKey(token.kid, keptSince(now, graceSeconds)) === undefined) {
    throw invalidToken('It was signed with a key that is not in use any more.');
  }
  const { keyId, accessLevel } = token.caller;
  if (keyId === LOCAL_KEY_ID) return token.caller;
  const key = keyStore.findById(keyId);
  const good = key !== undefined && key.revoked_at === null && key.level === accessLevel;
  if (!good || key.robots?.includes(config.SERVICE_ROBOT_ID) === false) {
    throw new ServiceError('key_revoked', {
      detail: 'The API key behind this token was revoked or changed. Get a new token with a valid API key.',
    });
  }
  return token.caller;
}
