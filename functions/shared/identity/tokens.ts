import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { type AccessLevel, type Caller, RECENT_TOKEN_SECONDS } from '../access.ts';
import type { Config } from '../config.ts';
import { endOf } from './api-key-record.schema.ts';
import { TokenCache } from './cache.ts';
import { claimsOf, type Grant, LOCAL_KEY_ID, sessionSeconds } from './claims.ts';
import { keptSince, stillGood, type TokenUse } from './judge.ts';
import type { KeyStore } from './key-store.port.ts';
import type { KeyUse } from './key-use.port.ts';
import type { Revocations } from './revocations.port.ts';
import type { SigningKeys } from './signing-keys.port.ts';
import { verifySignature } from './verify.ts';

export type { TokenUse } from './judge.ts';

export interface MintedToken {
  readonly token: string;
  readonly clientId: string;
  readonly accessLevel: AccessLevel;
  /** Seconds since the epoch, like the next one. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface Tokens {
  /** Signs a token of 30 minutes, less at the end of a session (specification, sections 5.2 to 5.9). */
  mint(grant: Grant): Promise<MintedToken>;
  /**
   * Whom the token speaks for. Answers without a promise when the token was verified before.
   * @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`.
   */
  verify(token: string, use?: TokenUse): Caller | Promise<Caller>;
}

export interface TokenParts {
  readonly config: Config;
  readonly clock: () => number;
  readonly signingKeys: SigningKeys;
  readonly keyStore: KeyStore;
  readonly revocations: Revocations;
  /** Is told of each token that is issued. */
  readonly keyUse?: Pick<KeyUse, 'note'>;
}

/** Of each robot in a fleet fewer verified tokens are kept: there are many robots. */
const MAX_TOKENS_PER_ROBOT = 100;

/**
 * Tokens signed by this service. The signature of each is checked once; time, signing key, API key and what ended it
 * early at every use.
 */
export function createTokens(
  parts: TokenParts,
  cache = new TokenCache(parts.config.fleet ? MAX_TOKENS_PER_ROBOT : undefined),
): Tokens {
  const { clock } = parts;
  return {
    mint: (grant) => mint(parts, grant),
    verify(token, use = 'request') {
      const now = clock();
      const known = cache.get(token);
      if (known) return stillGood(parts, known, now, use);
      return verifySignature(parts, token, keptSince(now, use)).then((verified) => {
        cache.remember(token, verified, now / 1000 - RECENT_TOKEN_SECONDS);
        return stillGood(parts, verified, now, use);
      });
    },
  };
}

/**
 * Signs a token with the key that signs now (RFC 7519, ES256). The `jti` is 56 random bits rather than a UUID: every
 * byte counts, since some stream clients cap the length of a URL.
 */
async function mint(
  { config, clock, signingKeys, keyStore, revocations, keyUse }: TokenParts,
  grant: Grant,
): Promise<MintedToken> {
  const now = clock();
  const { kid, privateKey } = signingKeys.current(now);
  const clientId = grant.clientId ?? randomUUID();
  const key = keyStore.findById(grant.keyId);
  const claims = claimsOf(grant, {
    issuer: config.SERVICE_ISSUER,
    audience: config.SERVICE_ROBOT_ID,
    clientId,
    tokenId: randomBytes(7).toString('base64url'),
    issuedAt: Math.floor(now / 1000),
    sessionSeconds: sessionSeconds(config),
    keyEndsAt: key ? Math.floor(endOf(key) / 1000) : Number.POSITIVE_INFINITY,
    socketGeneration: revocations.socketGeneration(),
  });
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(privateKey);
  if (grant.keyId !== LOCAL_KEY_ID) keyUse?.note(grant.keyId);
  return { token, clientId, accessLevel: grant.accessLevel, issuedAt: claims.iat, expiresAt: claims.exp };
}
