import { type AccessLevel, RECENT_TOKEN_SECONDS } from '../access.ts';
import type { ApiKeyRecord } from '../adapters/key-store/port.ts';
import { ServiceError } from '../errors.ts';
import { apiKeyGate, metrics, tokens } from '../ports.ts';
import type { Exchange, PipelineRequest } from './exchange.ts';

const USES_TOKENS = { tokens };
const USES_KEYS = { apiKeyGate };
const USES_METRICS = { metrics };
/** The scheme is case-insensitive and may stand apart (RFC 9110, section 11.4); nearly everybody writes `Bearer `. */
const OTHER_BEARER = /^bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i;

/**
 * Finds out who is calling, as the endpoint's access asks for (specification, sections 5.1 to 5.7).
 * Errors: missing_token, token_invalid, token_expired, key_revoked, missing_api_key, api_key_invalid, rate_limited.
 */
export async function authenticate({ event, context: { exchange } }: PipelineRequest): Promise<void> {
  const { spec, host } = exchange;
  if (spec.access === 'public') return;
  try {
    if (spec.access === 'api-key')
      await admitKeyHolder(exchange, event.headers['x-api-key'], event.requestContext.http.sourceIp);
    else await admitTokenHolder(exchange, event.headers.authorization);
  } catch (error) {
    if (error instanceof ServiceError) (await host.ports.resolve(USES_METRICS)).metrics.authFailure(error.code);
    throw error;
  }
}

async function admitKeyHolder(exchange: Exchange, secret: string | undefined, address: string): Promise<void> {
  const { ports, listener } = exchange.host;
  exchange.keyHolder =
    listener === 'socket'
      ? localKey(ports.config.SERVICE_SOCKET_ACCESS_LEVEL)
      : await (await ports.resolve(USES_KEYS)).apiKeyGate.check(secret, address, ports.robotId);
}

async function admitTokenHolder(exchange: Exchange, authorization: string | undefined): Promise<void> {
  const { ports, listener } = exchange.host;
  const recent = exchange.spec.access === 'any-recent-token';
  if (recent && listener === 'socket') {
    exchange.caller = {
      clientId: 'local',
      accessLevel: ports.config.SERVICE_SOCKET_ACCESS_LEVEL,
      keyId: 'local',
      mayPublish: false,
    };
    return;
  }
  if (authorization === undefined || authorization === '') {
    throw new ServiceError('missing_token', {
      detail:
        'Send the token in the header "Authorization: Bearer <token>". GET /api/v2/auth/ trades an API key for one.',
    });
  }
  const token = authorization.startsWith('Bearer ') ? authorization.slice(7) : OTHER_BEARER.exec(authorization)?.[1];
  if (token === undefined) {
    throw new ServiceError('token_invalid', {
      detail: 'The Authorization header does not have the form "Bearer <token>".',
    });
  }
  const resolved = ports.resolve(USES_TOKENS);
  const verifier = (resolved instanceof Promise ? await resolved : resolved).tokens;
  const caller = verifier.verify(token, recent ? { graceSeconds: RECENT_TOKEN_SECONDS } : undefined);
  exchange.caller = caller instanceof Promise ? await caller : caller;
}

/** Callers over the Unix socket stand in for a key: the file's permissions have let them in. */
function localKey(level: AccessLevel): ApiKeyRecord {
  return { id: 'local', name: 'Unix socket', level, sha256: '', created_at: '', revoked_at: null };
}
