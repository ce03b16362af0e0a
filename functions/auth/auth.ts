import { type Caller, OPERATORS } from '../shared/access.ts';
import { ServiceError } from '../shared/errors.ts';
import { LOCAL_KEY_ID } from '../shared/identity/claims.ts';
import { type IssuePorts, issue, mayRefresh } from '../shared/identity/issue-token.ts';
import type { ApiKeyRecord } from '../shared/identity/key-store.port.ts';
import type { MintedToken } from '../shared/identity/tokens.ts';

interface TokenOptions {
  readonly username?: string | undefined;
  readonly mayPublish?: boolean;
}

/**
 * Issues a token to the holder of an API key, or to a caller over the Unix socket.
 * @throws ServiceError `insufficient_access` when a key below ADMIN asks for a publisher token; over the socket every
 * level may (specification, section 5.10).
 */
export async function issueToken(
  ports: IssuePorts,
  key: ApiKeyRecord,
  { username, mayPublish = false }: TokenOptions = {},
) {
  const elevated = OPERATORS.some((level) => level === key.level);
  if (mayPublish && key.id !== LOCAL_KEY_ID && !elevated) {
    throw new ServiceError('insufficient_access', {
      detail: `A publisher token requires an API key of level ${OPERATORS.join(' or ')}; this one is ${key.level}. Use such a key, or leave mediamtx_publish out.`,
    });
  }
  const named = username === undefined ? {} : { username };
  const grant = { accessLevel: key.level, keyId: key.id, mayPublish, ...named };
  return tokenAnswer(await issue(ports, grant, mayPublish ? 'publisher' : 'auth'));
}

/**
 * Issues a fresh token to the same client: client id, level, username, permissions, key and the start of the session stay
 * the same.
 * @throws ServiceError `insufficient_access` for a token of the Unix socket that comes over the network.
 */
export async function refreshToken(ports: IssuePorts, caller: Caller, listener: 'tcp' | 'socket') {
  if (!mayRefresh(caller, listener)) {
    throw new ServiceError('insufficient_access', {
      detail:
        'A token issued over the Unix socket can only be refreshed over the Unix socket. Elsewhere, get one with an API key: GET /api/v2/auth/.',
    });
  }
  return tokenAnswer(await issue(ports, caller, 'refresh'));
}

/** A token as it is answered. */
export function tokenAnswer({ token, clientId, accessLevel, issuedAt, expiresAt }: MintedToken) {
  return {
    client_id: clientId,
    access_level: accessLevel,
    token,
    token_type: 'Bearer' as const,
    // Refreshed within the tolerance after the end of a session, a token has none left.
    expires_in: Math.max(0, expiresAt - issuedAt),
    expires_at: new Date(expiresAt * 1000).toISOString(),
  };
}
