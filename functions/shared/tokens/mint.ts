import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { claimsOf } from './claims.ts';
import type { Grant, MintedToken, TokenParts } from './tokens.ts';

/**
 * Signs a token with the key that signs now (RFC 7519, ES256). The `jti` is 128 random bits rather than a UUID: every
 * byte counts, since some stream clients cap the length of a URL.
 */
export async function mint({ config, clock, signingKeys }: TokenParts, grant: Grant): Promise<MintedToken> {
  const now = clock();
  const { kid, privateKey } = signingKeys.current(now);
  const clientId = grant.clientId ?? randomUUID();
  const claims = claimsOf(grant, {
    issuer: config.SERVICE_ISSUER,
    audience: config.SERVICE_ROBOT_ID,
    clientId,
    tokenId: randomBytes(16).toString('base64url'),
    issuedAt: Math.floor(now / 1000),
  });
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(privateKey);
  return { token, clientId, accessLevel: grant.accessLevel, expiresAt: claims.exp };
}
