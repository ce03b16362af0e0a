import { type Caller, isAbove, RECENT_TOKEN_SECONDS } from '../access.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { type ApiKeyRecord, endOf } from './api-key-record.schema.ts';
import type { VerifiedToken } from './cache.ts';
import { LOCAL_KEY_ID, sessionSeconds } from './claims.ts';
import { invalidToken } from './invalid-token.ts';
import type { Revocations } from './revocations.port.ts';
import type { SigningKeys } from './signing-keys.port.ts';

/**
 * What a token is shown for. A `request` (the default) tolerates clocks that differ by a few seconds. A `stop` takes a
 * token until 10 minutes after its end, and one whose session was ended by a logout. A `stream` ends with its token.
 */
export type TokenUse = 'request' | 'stop' | 'stream';

type KeyState = Pick<ApiKeyRecord, 'level' | 'revoked_at' | 'robots' | 'expires_at'>;

/** What a token is judged by. */
export interface TokenWorld {
  readonly config: Config;
  readonly signingKeys: Pick<SigningKeys, 'publicKey'>;
  readonly keyStore: { findById(id: string): KeyState | undefined };
  readonly revocations: Pick<Revocations, 'isLoggedOut' | 'socketGeneration'>;
}

/** How far the clocks of two machines may differ. */
const TOLERANCE_SECONDS = 5;
/** For how long after its end a token is still taken, in seconds. */
const GRACE_SECONDS: Readonly<Record<TokenUse, number>> = {
  request: TOLERANCE_SECONDS,
  stop: RECENT_TOKEN_SECONDS,
  stream: 0,
};

/** A token within its grace was good back then; so must have been its signing key. */
export function keptSince(now: number, use: TokenUse): number {
  return now - GRACE_SECONDS[use] * 1000;
}

/**
 * Whom a token with a valid signature speaks for at `now` (ms since the epoch).
 * @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`.
 */
export function stillGood(parts: TokenWorld, token: VerifiedToken, now: number, use: TokenUse): Caller {
  const { signingKeys, config, revocations } = parts;
  const { caller, kid, issuedAt } = token;
  const sessionEnd = (caller.authTime ?? issuedAt) + sessionSeconds(config);
  if (now >= (Math.min(token.expiresAt, sessionEnd) + GRACE_SECONDS[use]) * 1000) throw expired(now, sessionEnd);
  if (issuedAt * 1000 > now + TOLERANCE_SECONDS * 1000) {
    throw invalidToken('It was issued in the future: the clock of this machine was set back since.');
  }
  if (signingKeys.publicKey(kid, keptSince(now, use)) === undefined) {
    throw invalidToken('It was signed with a key that is not in use any more.');
  }
  if (use !== 'stop' && revocations.isLoggedOut(caller.clientId, issuedAt)) {
    throw invalidToken('Its session was ended by a logout.');
  }
  if (caller.keyId === LOCAL_KEY_ID) assertSocketAllows(parts, token);
  else assertKeyAllows(parts, caller, now);
  return caller;
}

function expired(now: number, sessionEnd: number): ServiceError {
  const detail =
    now >= sessionEnd * 1000
      ? 'The session has reached its longest duration (SERVICE_SESSION_MAX_HOURS). Begin a new one with GET /api/v2/auth/.'
      : 'The token has expired. Get a new one from GET /api/v2/auth/; refresh it earlier next time.';
  return new ServiceError('token_expired', { detail });
}

/** A token minted over the Unix socket is as good as the socket is at present. */
function assertSocketAllows({ config, revocations }: TokenWorld, { caller, socketGeneration }: VerifiedToken): void {
  const { SERVICE_SOCKET_PATH, SERVICE_SOCKET_ACCESS_LEVEL, inCloud } = config;
  if (SERVICE_SOCKET_PATH === '' || inCloud)
    throw revoked(
      'This service has no Unix socket any more. Get a token with an API key: GET /api/v2/auth/ with the header X-API-Key.',
    );
  if (isAbove(caller.accessLevel, SERVICE_SOCKET_ACCESS_LEVEL)) {
    throw revoked(
      'The access level of the Unix socket (SERVICE_SOCKET_ACCESS_LEVEL) was lowered. Get a new token over the socket.',
    );
  }
  if (socketGeneration !== revocations.socketGeneration()) {
    throw revoked('The tokens of the Unix socket were revoked. Get a new one over the socket.');
  }
}

function assertKeyAllows(
  { keyStore, config }: TokenWorld,
  { keyId, accessLevel, keyLevel = accessLevel }: Caller,
  now: number,
): void {
  const key = keyStore.findById(keyId);
  const good = key !== undefined && key.revoked_at === null && key.level === keyLevel && now < endOf(key);
  if (!good || key.robots?.includes(config.SERVICE_ROBOT_ID) === false) {
    throw revoked('The API key behind this token was revoked or changed. Get a new token with a valid API key.');
  }
}

function revoked(detail: string): ServiceError {
  return new ServiceError('key_revoked', { detail });
}
