import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { withFenced } from '../../functions/commands/fenced.ts';
import type { Config } from '../../functions/shared/config.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { bearerToken } from '../../functions/shared/pipeline/bearer-token.ts';
import { asServiceError, problem } from '../../functions/shared/pipeline/render-error.ts';
import type { Sender } from '../../functions/shared/robot-link/port.ts';
import { createCors, preflightHeaders } from '../http/cors.ts';
import { createHostCheck } from '../http/host-header.ts';
import { LIMITS } from '../http/limits.ts';
import { answerParserError } from '../http/parser-error.ts';
import { readTarget } from '../http/request-head.ts';
import type { TlsCertificate } from '../http/tls-certificate/port.ts';
import { createTlsServer } from '../http/tls-server.ts';
import type { HandedIdentity } from './handed-identity.ts';
import { createOwnPageCheck } from './own-pages.ts';
import type { StopConnections } from './stop-connections.ts';
import type { Stopper } from './stopper.ts';

/** The one thing that it serves, under both prefixes. */
const STOP_PATH = /^(\/rest)?\/api\/(v1|v2)\/stop\/?$/;
const ALLOWED = ['POST', 'OPTIONS'];

const OPTIONS = {
  requireHostHeader: false,
  maxHeaderSize: 4 * LIMITS.headerBytes,
  headersTimeout: 1_000,
  requestTimeout: 2_000,
  keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
  connectionsCheckingInterval: 250,
  noDelay: true,
};

export interface StopServerParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly identity: HandedIdentity;
  readonly stopper: Pick<Stopper, 'stop'>;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A server of `POST /api/{version}/stop` and its OPTIONS, and of nothing else. */
export function createStopServer(
  listener: 'tcp' | 'socket',
  { config, logger, identity, stopper }: StopServerParts,
  connections: StopConnections,
  certificate?: TlsCertificate,
): Server {
  const checkHost = listener === 'tcp' ? createHostCheck(config.SERVICE_ALLOWED_HOSTS) : () => undefined;
  const cors = createCors(
    config.SERVICE_CORS_ORIGINS,
    createOwnPageCheck([config.SERVICE_PORT, config.SERVICE_TLS_PORT]),
  );
  const server = certificate ? createTlsServer(OPTIONS, certificate, logger) : createServer(OPTIONS);
  connections.watch(server);
  server.maxHeadersCount = 4 * LIMITS.headerCount;
  server.on('request', serveInTurn).on('checkExpectation', serveInTurn);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (connections.isAnswering(socket)) socket.destroy();
    else answerParserError(error, socket);
  });
  return server;

  function serveInTurn(request: IncomingMessage, response: ServerResponse): void {
    // What the rest of a packet holds when its connection was closed for the requests before. A stop that waits for its turn
    // acts even if its client is gone by then.
    if (!request.socket.destroyed) connections.inTurn(request.socket, () => serve(request, response));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    // What a body says does not matter to a stop, and it must not keep the answer back.
    request.on('error', () => undefined).resume();
    response.on('error', () => undefined);
    respond(request)
      .catch((error: unknown) => rendered(asServiceError(error), randomUUID()))
      .then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, ...corsOf(request), 'cache-control': 'no-store' }).end(body);
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'could not answer a request');
        response.destroy();
      });
  }

  async function respond(request: IncomingMessage): Promise<Answer> {
    const requestId = randomUUID();
    try {
      const { path, authority } = readTarget(request, LIMITS);
      checkHost(authority);
      const { method } = request;
      if (!STOP_PATH.test(path)) throw new ServiceError('not_found', { detail: 'Only stop is served here.' });
      if (method === 'OPTIONS') return { status: 204, headers: { allow: ALLOWED.join(', ') }, body: '' };
      if (method !== 'POST') throw notAllowed(method);
      const stop = stopper.stop({
        sender: senderOf(request),
        address: request.socket.remoteAddress ?? '',
        listener,
        request_id: requestId,
      });
      const body = await stop.report.then(
        async (report) => ({ ...report, fenced: await stop.fenced }),
        async (error: unknown) => {
          throw withFenced(asServiceError(error), await stop.fenced);
        },
      );
      logger.info({ request_id: requestId, listener, fenced: body.fenced }, 'the guard has stopped the robot');
      return { status: 200, headers: json(requestId), body: JSON.stringify(body) };
    } catch (error) {
      const failure = asServiceError(error);
      logger.warn({ request_id: requestId, listener, code: failure.code, err: failure.cause }, failure.message);
      return rendered(failure, requestId);
    }
  }

  /** Over the socket nobody needs a token. */
  function senderOf(request: IncomingMessage): Sender {
    if (listener === 'socket') {
      return { clientId: 'local', accessLevel: config.SERVICE_SOCKET_ACCESS_LEVEL, keyId: 'local' };
    }
    const { clientId, accessLevel, keyId } = identity.verify(bearerToken(request.headers.authorization));
    connections.trust(request.socket);
    return { clientId, accessLevel, keyId };
  }

  function corsOf({ headers: { origin, host } }: IncomingMessage): Record<string, string> {
    const allowed = cors(origin, host);
    if (!allowed || !('access-control-allow-origin' in allowed)) return { ...allowed };
    return { ...allowed, ...preflightHeaders(ALLOWED) };
  }
}

function rendered(error: ServiceError, requestId: string): Answer {
  const { statusCode, headers, body } = problem(error, requestId);
  return {
    status: statusCode,
    headers: { ...(headers as Record<string, string>), 'x-request-id': requestId },
    body: String(body),
  };
}

function json(requestId: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-request-id': requestId };
}

function notAllowed(method = 'GET'): ServiceError {
  return new ServiceError('method_not_allowed', {
    detail: `${method} is not allowed on this path. Allowed: ${ALLOWED.join(', ')}.`,
    headers: { allow: ALLOWED.join(', ') },
  });
}
