import * as z from 'zod';
import { ACCESS_LEVELS, type AccessLevel, type Caller } from '../access.ts';
import type { Config } from '../config.ts';

/** Life of a token in seconds (specification, section 5.5). */
export const TOKEN_SECONDS = 1800;

/** Longest life of a session in seconds, however often its token is refreshed; Infinity without a limit. */
export function sessionSeconds({ SERVICE_SESSION_MAX_HOURS: hours }: Config): number {
  return hours === 0 ? Number.POSITIVE_INFINITY : hours * 3600;
}

/** `key_id` of tokens minted over the Unix socket, where no API key is needed. */
export const LOCAL_KEY_ID = 'local';

const permission = z.object({ action: z.string(), path: z.string() });

/** The claims this service reads from its own tokens; `iss`, `aud` and times are judged where the token is verified. */
export const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  auth_time: z.number().optional(),
  gen: z.string().optional(),
  client_id: z.string().min(1),
  access_level: z.enum(ACCESS_LEVELS),
  key_id: z.string().min(1),
  key_level: z.enum(ACCESS_LEVELS).optional(),
  username: z.string().optional(),
  mediamtx_permissions: z.array(permission).default([]),
});
export type Claims = z.infer<typeof Claims>;

/** What a new token shall say. Without a clientId a new one (UUID) is made. */
export interface Grant {
  readonly clientId?: string;
  readonly accessLevel: AccessLevel;
  readonly keyId: string;
  /** Level of the key, where that of the token is lower: that of a paired device. */
  readonly keyLevel?: AccessLevel;
  readonly username?: string;
  readonly mayPublish: boolean;
  /** `false`: stream servers allow it nothing. */
  readonly streams?: false;
  /** When the session began, in seconds since the epoch; now when absent. */
  readonly authTime?: number;
}

interface Issue {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  readonly tokenId: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** Longest life of a session in seconds; Infinity without a limit. */
  readonly sessionSeconds: number;
  /** When its API key ends, in seconds since the epoch; Infinity for one that does not. */
  readonly keyEndsAt: number;
  /** See {@link Revocations.socketGeneration}. */
  readonly socketGeneration: string;
}

/**
 * The claims of a new token. `mediamtx_permissions` is read by the stream server: an empty path means every path
 * (specification, sections 5.9 and 5.10). The last token of a session ends when the session does, and none outlives its API key.
 */
export function claimsOf(
  grant: Grant,
  { issuer, audience, clientId, tokenId, issuedAt, sessionSeconds, keyEndsAt, socketGeneration }: Issue,
) {
  const authTime = grant.authTime ?? issuedAt;
  const actions = grant.streams === false ? [] : grant.mayPublish ? ['read', 'publish'] : ['read'];
  return {
    iss: issuer,
    aud: audience,
    sub: clientId,
    client_id: clientId,
    access_level: grant.accessLevel,
    iat: issuedAt,
    exp: Math.min(issuedAt + TOKEN_SECONDS, authTime + sessionSeconds, keyEndsAt),
    ...(Number.isFinite(sessionSeconds) ? { auth_time: authTime } : {}),
    jti: tokenId,
    key_id: grant.keyId,
    ...(grant.keyLevel === undefined || grant.keyLevel === grant.accessLevel ? {} : { key_level: grant.keyLevel }),
    ...(grant.keyId === LOCAL_KEY_ID && socketGeneration !== '' ? { gen: socketGeneration } : {}),
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
    ...(claims.key_level === undefined ? {} : { keyLevel: claims.key_level }),
    ...(claims.username === undefined ? {} : { username: claims.username }),
    mayPublish: claims.mediamtx_permissions.some(({ action }) => action === 'publish'),
    // Of a token from before there was a limit only its own time of issue is known.
    authTime: claims.auth_time ?? claims.iat,
    expiresAt: claims.exp,
  });
}
