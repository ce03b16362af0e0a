import { type AccessLevel, type Caller, RECENT_TOKEN_SECONDS } from '../access.ts';
import type { ApiKeyRecord } from '../adapters/key-store/port.ts';
import { ServiceError } from '../errors.ts';
import type { Ports } from '../port.ts';
import { apiKeyGate, metrics, tokens } from '../ports.ts';
import { type Exchange, type PipelineRequest, seenWith } from './exchange.ts';

const USES_TOKENS = { tokens };
const USES_KEYS = { apiKeyGate };
const USES_METRICS = { metrics };
/** The scheme is case-insensitive and may stand apart (RFC 9110, section 11.4); nearly everybody writes `Bearer `. */
const OTHER_BEARER = /^bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i;

/**
 * Finds out who is calling, as the endpoint's access asks for (specification, sections 5.1 to 5.7).
 * Errors: missing_token, token_invalid, token_expired, key_revoked, missing_api_key, api_key_invalid, rate_limited.
 */
export function authenticate({ event, context: { exchange } }: PipelineRequest): void | Promise<void> {
  try {
    const admitted =
      exchange.spec.access === 'api-key'
        ? admitKeyHolder(exchange, event.headers['x-api-key'], event.requestContext.http.sourceIp)
        : admitTokenHolder(exchange, event.headers.authorization);
    if (!admitted) return enter(exchange);
    return admitted.then(
      () => enter(exchange),
      (error: unknown) => refused(exchange, error),
    );
  } catch (error) {
    return refused(exchange, error);
  }
}

/** Whose token was accepted is no visitor any more where the path names a robot of a fleet. */
function enter(exchange: Exchange): void {
  const { host, caller } = exchange;
  if (!caller || host.ports.robotId === undefined) return;
  exchange.entered = host.ports.enter();
  exchange.host = seenWith(host, { ports: exchange.entered });
}

async function refused({ host }: Exchange, error: unknown): Promise<never> {
  if (error instanceof ServiceError) (await host.ports.resolve(USES_METRICS)).metrics.authFailure(error.code);
  throw error;
}

async function admitKeyHolder(exchange: Exchange, secret: string | undefined, address: string): Promise<void> {
  const { ports, listener } = exchange.host;
  exchange.keyHolder =
    listener === 'socket'
      ? localKey(ports.config.SERVICE_SOCKET_ACCESS_LEVEL)
      : await (await ports.resolve(USES_KEYS)).apiKeyGate.check(secret, address, ports.robotId);
}

/** Without a promise when the token was verified before, which is nearly always. */
function admitTokenHolder(exchange: Exchange, authorization: string | undefined): void | Promise<void> {
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
  const verified = verify(ports, token, recent ? RECENT_TOKEN_SECONDS : 0);
  if (!(verified instanceof Promise)) exchange.caller = verified;
  else {
    return verified.then((caller) => {
      exchange.caller = caller;
    });
  }
}

function verify(ports: Ports, token: string, graceSeconds: number): Caller | Promise<Caller> {
  const resolved = ports.resolve(USES_TOKENS);
  if (resolved instanceof Promise) return resolved.then(({ tokens }) => tokens.verify(token, graceSeconds));
  return resolved.tokens.verify(token, graceSeconds);
}

/** Callers over the Unix socket stand in for a key: the file's permissions have let them in. */
function localKey(level: AccessLevel): ApiKeyRecord {
  return { id: 'local', name: 'Unix socket', level, sha256: '', created_at: '', revoked_at: null };
}
