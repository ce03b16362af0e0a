import { compactVerify, decodeJwt } from 'jose';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { VerifiedToken } from './cache.ts';
import { Claims } from './claims.ts';
import { invalidToken } from './invalid-token.ts';
import type { SigningKeys } from './signing-keys.port.ts';
import { assertTokenShape, hasTokenShape, verifiedToken } from './token-shape.ts';

/**
 * Checks signature and fixed claims of a token: ES256 and nothing else, one of our key ids, our `iss`, our `aud`, an
 * `exp` at most 30 minutes after `iat`. Header members that name or carry a key (`jku`, `jwk`, `x5u`) are never looked at. Time and API key are judged
 * by the caller, at every use.
 * @param asOf the moment (ms since the epoch) at which the key must have been published.
 * @throws ServiceError `token_invalid`, whatever was wrong.
 */
export async function verifySignature(
  { config, signingKeys }: { readonly config: Config; readonly signingKeys: SigningKeys },
  token: string,
  asOf: number,
): Promise<VerifiedToken> {
  assertTokenShape(token);
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
    throw error instanceof ServiceError ? error : invalidToken('It is not a token of this service.', error);
  }
  return verifiedToken(config, keyId, claims);
}

/** The robot that a token claims to be for, of which nothing is verified yet; undefined when it names none. */
export function audienceOf(token: string): string | undefined {
  if (!hasTokenShape(token)) return undefined;
  try {
    const { aud } = decodeJwt(token);
    return typeof aud === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(aud) ? aud : undefined;
  } catch {
    return undefined;
  }
}
