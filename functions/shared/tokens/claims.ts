import * as z from 'zod';
import { ACCESS_LEVELS, type Caller } from '../access.ts';
import type { Grant } from './tokens.ts';

/** Life of a token in seconds (specification, section 5.5). */
export const TOKEN_SECONDS = 1800;

/** `key_id` of tokens minted over the Unix socket, where no API key is needed. */
export const LOCAL_KEY_ID = 'local';

const permission = z.object({ action: z.string(), path: z.string() });

/** The claims this service reads from its own tokens; `iss`, `aud` and `exp` are judged where the token is verified. */
export const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  client_id: z.string().min(1),
  access_level: z.enum(ACCESS_LEVELS),
  key_id: z.string().min(1),
  username: z.string().optional(),
  mediamtx_permissions: z.array(permission).default([]),
});
export type Claims = z.infer<typeof Claims>;

interface Issue {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  readonly tokenId: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
}

/**
 * The claims of a new token. `mediamtx_permissions` is read by the stream server: an empty path means every path
 * (specification, sections 5.9 and 5.10).
 */
export function claimsOf(grant: Grant, { issuer, audience, clientId, tokenId, issuedAt }: Issue) {
  const actions = grant.mayPublish ? ['read', 'publish'] : ['read'];
  return {
    iss: issuer,
    aud: audience,
    sub: clientId,
    client_id: clientId,
    access_level: grant.accessLevel,
    iat: issuedAt,
    exp: issuedAt + TOKEN_SECONDS,
    jti: tokenId,
    key_id: grant.keyId,
    ...(grant.username === undefined ? {} : { username: grant.username }),
    mediamtx_permissions: actions.map((action) => ({ action, path: '' })),
  };
}

/** Whom these claims speak for. */
export function callerOf(claims: Claims): Caller {
  return Object.freeze({
    clientId: claims.client_id,
    accessLevel: claims.access_level,
    keyId: claims.key_id,
    ...(claims.username === undefined ? {} : { username: claims.username }),
    mayPublish: claims.mediamtx_permissions.some(({ action }) => action === 'publish'),
  });
}
