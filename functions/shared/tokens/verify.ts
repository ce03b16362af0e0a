import { compactVerify } from 'jose';
import { ServiceError } from '../errors.ts';
import type { VerifiedToken } from './cache.ts';
import { Claims, callerOf } from './claims.ts';
import type { TokenParts } from './tokens.ts';

/** Longest token that is looked at. Ours stay under 900 bytes. */
const MAX_LENGTH = 2048;

/**
 * Three canonical base64url parts. An ES256 signature is 64 bytes, so that its last character carries two bits only:
 * any other character there would be a second spelling of the same signature.
 */
const SHAPE = /^[A-Za-z0-9_-]{1,512}\.[A-Za-z0-9_-]{1,1400}\.[A-Za-z0-9_-]{85}[AQgw]$/;

/**
 * Checks signature and fixed claims of a token: ES256 and nothing else, one of our key ids, our `iss`, our `aud`, an
 * `exp`. Header members that name or carry a key (`jku`, `jwk`, `x5u`) are never looked at. Time and API key are judged
 * by the caller, at every use.
 * @param asOf the moment (ms since the epoch) at which the key must have been published.
 * @throws ServiceError `token_invalid`, whatever was wrong.
 */
export async function verifySignature(parts: TokenParts, token: string, asOf: number): Promise<VerifiedToken> {
  const { config, signingKeys } = parts;
  if (token.length > MAX_LENGTH || !SHAPE.test(token)) throw invalidToken('It is no token of this service.');
  let keyId = '';
  let claims: Claims;
  try {
    const { payload } = await compactVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : signingKeys.publicKey(kid, asOf);
        if (kid === undefined || key === undefined) throw invalidToken('It was signed with a key that is not in use.');
        keyId = kid;
        return key;
      },
      { algorithms: ['ES256'] },
    );
    claims = Claims.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
  } catch (error) {
    throw error instanceof ServiceError ? error : invalidToken('It is no token of this service.', error);
  }
  if (claims.iss !== config.SERVICE_ISSUER) throw invalidToken('Another service issued it.');
  if (claims.aud !== config.SERVICE_ROBOT_ID) throw invalidToken('It was issued for another robot.');
  return { caller: callerOf(claims), kid: keyId, expiresAt: claims.exp };
}

/** `token_invalid` with the way out. */
export function invalidToken(why: string, cause?: unknown): ServiceError {
  return new ServiceError('token_invalid', {
    detail: `The token cannot be accepted. ${why} Get a new one from GET /api/v2/auth/.`,
    cause,
  });
}
