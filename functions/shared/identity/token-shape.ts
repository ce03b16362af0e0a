import type { Config } from '../config.ts';
import type { VerifiedToken } from './cache.ts';
import { type Claims, callerOf, TOKEN_SECONDS } from './claims.ts';
import { invalidToken } from './invalid-token.ts';

/** Longest token that is looked at. Ours stay under 900 bytes. */
const MAX_LENGTH = 2048;

/**
 * Three canonical base64url parts. An ES256 signature is 64 bytes, so that its last character carries two bits only:
 * any other character there would be a second spelling of the same signature.
 */
const SHAPE = /^[A-Za-z0-9_-]{1,512}\.[A-Za-z0-9_-]{1,1400}\.[A-Za-z0-9_-]{85}[AQgw]$/;

export function hasTokenShape(token: string): boolean {
  return token.length <= MAX_LENGTH && SHAPE.test(token);
}

/** @throws ServiceError `token_invalid`. */
export function assertTokenShape(token: string): void {
  if (!hasTokenShape(token)) throw invalidToken('It is not a token of this service.');
}

/**
 * A token whose signature is valid: checks its fixed claims. @throws ServiceError `token_invalid`.
 */
export function verifiedToken(config: Config, kid: string, claims: Claims): VerifiedToken {
  if (claims.iss !== config.SERVICE_ISSUER) throw invalidToken('Another service issued it.');
  if (claims.aud !== config.SERVICE_ROBOT_ID) throw invalidToken('It was issued for another robot.');
  if (claims.exp - claims.iat > TOKEN_SECONDS) throw invalidToken('It lives longer than tokens of this service do.');
  const { iat: issuedAt, exp: expiresAt, gen: socketGeneration = '' } = claims;
  return { caller: callerOf(claims), kid, issuedAt, expiresAt, socketGeneration };
}
