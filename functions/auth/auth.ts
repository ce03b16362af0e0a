import { type Caller, OPERATORS } from '../shared/access.ts';
import type { ApiKeyRecord } from '../shared/adapters/key-store/port.ts';
import type { Metrics } from '../shared/adapters/metrics/port.ts';
import { ServiceError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { LOCAL_KEY_ID, TOKEN_SECONDS } from '../shared/tokens/claims.ts';
import type { Grant, MintedToken, Tokens } from '../shared/tokens/tokens.ts';

interface AuthPorts {
  readonly tokens: Tokens;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Wish {
  readonly username?: string | undefined;
  readonly mayPublish?: boolean;
}

/**
 * A new token for the holder of an API key, or for a caller over the Unix socket.
 * Error: insufficient_access when a key of another level than ADMIN or ENCHANTER asks for a publisher token; over the
 * socket any level may (specification, section 5.10).
 */
export async function issueToken(ports: AuthPorts, key: ApiKeyRecord, { username, mayPublish = false }: Wish = {}) {
  const elevated = OPERATORS.some((level) => level === key.level);
  if (mayPublish && key.id !== LOCAL_KEY_ID && !elevated) {
    throw new ServiceError('insufficient_access', {
      detail: `A publisher token needs an API key of level ${OPERATORS.join(' or ')}; this one has ${key.level}.`,
    });
  }
  const named = username === undefined ? {} : { username };
  const grant = { accessLevel: key.level, keyId: key.id, mayPublish, ...named };
  return mintAndRecord(ports, grant, mayPublish ? 'publisher' : 'auth');
}

/** A token for the same client with a new life: client id, level, username, permissions and key stay. */
export async function refreshToken(ports: AuthPorts, caller: Caller) {
  return mintAndRecord(ports, caller, 'refresh');
}

async function mintAndRecord(
  { tokens, logger, metrics }: AuthPorts,
  grant: Grant,
  kind: 'auth' | 'refresh' | 'publisher',
) {
  const minted = await tokens.mint(grant);
  metrics.tokenMinted(kind);
  logger.info(
    {
      kind,
      key_id: grant.keyId,
      username: grant.username,
      client_id: minted.clientId,
      access_level: grant.accessLevel,
      publish: grant.mayPublish,
    },
    'token issued',
  );
  return answerOf(minted);
}

function answerOf({ token, clientId, accessLevel, expiresAt }: MintedToken) {
  return {
    client_id: clientId,
    access_level: accessLevel,
    token,
    token_type: 'Bearer' as const,
    expires_in: TOKEN_SECONDS,
    expires_at: new Date(expiresAt * 1000).toISOString(),
  };
}
