import type { AccessLevel, Caller } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { ApiKeyRecord } from '../identity/key-store.port.ts';
import { apiKeyGate, tokens } from '../identity/ports.ts';
import type { TokenUse } from '../identity/tokens.ts';
import { audienceOf } from '../identity/verify.ts';
import { metrics } from '../observability/ports.ts';
import type { Ports } from '../port.ts';
import { bearerToken } from './bearer-token.ts';
import { type Exchange, type PipelineRequest, seenWith } from './exchange.ts';

const USES_TOKENS = { tokens };
const USES_KEYS = { apiKeyGate };
const USES_METRICS = { metrics };

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
    if (!admitted) return admit(exchange);
    return admitted.then(
      () => admit(exchange),
      (error: unknown) => refused(exchange, error),
    );
  } catch (error) {
    return refused(exchange, error);
  }
}

/** Opens the robot of a fleet named in the path, but only for callers with a valid token. Never throws. */
export function recognize({ event, context: { exchange } }: PipelineRequest): void | Promise<void> {
  const { authorization } = event.headers;
  if (exchange.host.ports.robotId === undefined || authorization === undefined) return;
  return recognizeHolder(exchange, authorization);
}

async function recognizeHolder(exchange: Exchange, authorization: string): Promise<void> {
  try {
    await admitTokenHolder(exchange, authorization);
    admit(exchange);
  } catch {
    exchange.caller = undefined;
  }
}

/** Opens the robot of a fleet that the path names. */
function admit(exchange: Exchange): void {
  const { host, caller } = exchange;
  if (!caller || host.ports.robotId === undefined) return;
  const { ports, release } = host.ports.admit();
  exchange.release = release;
  exchange.host = seenWith(host, { ports });
}

async function refused({ host }: Exchange, error: unknown): Promise<never> {
  if (error instanceof ServiceError) (await host.ports.resolve(USES_METRICS)).metrics.authFailure(error.code);
  throw error;
}

async function admitKeyHolder(exchange: Exchange, secret: string | undefined, address: string): Promise<void> {
  const { ports, listener } = exchange.host;
  exchange.keyHolder =
    listener === 'socket'
      ? localKey(ports.local.keyId, ports.config.SERVICE_SOCKET_ACCESS_LEVEL)
      : await (await ports.resolve(USES_KEYS)).apiKeyGate.check(secret, address, ports.robotId);
}

/** Without a promise when the token was verified before, which is nearly always. */
function admitTokenHolder(exchange: Exchange, authorization: string | undefined): void | Promise<void> {
  const { ports, listener } = exchange.host;
  const recent = exchange.spec.access === 'any-recent-token';
  if (recent && listener === 'socket') {
    exchange.caller = {
      ...ports.local,
      accessLevel: ports.config.SERVICE_SOCKET_ACCESS_LEVEL,
      mayPublish: false,
    };
    return;
  }
  const token = bearerToken(authorization);
  const judge = exchange.spec.anyRobot ? portsOfAudience(ports, token) : ports;
  const verified = verify(judge, token, recent ? 'stop' : 'request');
  if (!(verified instanceof Promise)) exchange.caller = verified;
  else {
    return verified.then((caller) => {
      exchange.caller = caller;
    });
  }
}

/** At the host of a fleet, those of the robot that a token says it is for; they verify that. Nothing is kept for it. */
function portsOfAudience(ports: Ports, token: string): Ports {
  const robotId = ports.config.fleet && ports.robotId === undefined ? audienceOf(token) : undefined;
  return robotId === undefined || robotId === ports.config.SERVICE_ROBOT_ID ? ports : ports.forRobot(robotId, false);
}

function verify(ports: Ports, token: string, use: TokenUse): Caller | Promise<Caller> {
  const resolved = ports.resolve(USES_TOKENS);
  if (resolved instanceof Promise) return resolved.then(({ tokens }) => tokens.verify(token, use));
  return resolved.tokens.verify(token, use);
}

/** The record of a caller over the Unix socket, whom the permissions of the file have let in without a key. */
function localKey(id: string, level: AccessLevel): ApiKeyRecord {
  return { id, name: 'Unix socket', level, sha256: '', created_at: '', revoked_at: null };
}
