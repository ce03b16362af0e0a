import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsCertificate } from '../functions/shared/adapters/tls-certificate/port.ts';
import { ServiceError } from '../functions/shared/errors.ts';
import { answer, type RunPipeline } from '../functions/shared/middleware/answer.ts';
import type { EndpointSpec } from '../functions/shared/middleware/endpoint.ts';
import type { HostFacts } from '../functions/shared/middleware/exchange.ts';
import { problem } from '../functions/shared/middleware/render-error.ts';
import type { Ports } from '../functions/shared/port.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { leavesMuchUnread } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { type Client, createClientAddress } from './client-address.ts';
import type { Connections } from './connections.ts';
import { createCors, preflightHeaders } from './cors.ts';
import { toEvent } from './event.ts';
import type { Flight } from './flight.ts';
import { createHostCheck } from './host-header.ts';
import { type InFlight, isIndispensable } from './in-flight.ts';
import type { Limits } from './limits.ts';
import { giveUp, Outbox } from './outbox.ts';
import { answerParserError } from './parser-error.ts';
import { RequestFacts } from './request-facts.ts';
import { readTarget, type Target } from './request-head.ts';
import type { Match, Router } from './router.ts';
import { createTlsServer } from './tls-server.ts';

export interface ServerParts {
  readonly ports: Ports;
  readonly router: Router;
  readonly inFlight: InFlight;
  readonly limits: Limits;
  readonly connections: Connections;
  readonly answers: AnswerBudget;
  readonly bodies: BodyBudget;
}

/** Nothing of ours is called: the host itself answers. */
const UNROUTED: EndpointSpec = { access: 'public', summary: 'No endpoint', output: { mediaTypes: [] } };

/**
 * One HTTP/1.1 server over the route table; the process has one for TCP, one for the Unix socket, and with a certificate
 * one for TLS. Order of checks: head of the request, host (421), route (404, 405), and then the endpoint's own pipeline.
 */
export function createHttpServer(
  listener: HostFacts['listener'],
  { ports, router, inFlight, limits, connections, answers, bodies }: ServerParts,
  certificate?: TlsCertificate,
): Server {
  const { config } = ports;
  const checkHost = listener === 'tcp' ? createHostCheck(config.SERVICE_ALLOWED_HOSTS) : () => undefined;
  const clientOf = createClientAddress(config.SERVICE_TRUSTED_PROXY);
  const cors = createCors(config.SERVICE_CORS_ORIGINS);
  const outbox = new Outbox();

  const options = {
    requireHostHeader: false,
    maxHeaderSize: 4 * limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    noDelay: true,
  };
  const server = certificate ? createTlsServer(options, certificate, ports.logger) : createServer(options);
  connections.watch(server, listener);
  server.maxHeadersCount = 4 * limits.headerCount;
  server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (inFlight.isAnswering(socket)) socket.destroy();
    else logUnparsed(answerParserError(error, socket), socket);
  });
  server.on('connect', (_request, socket: Socket) => {
    logUnparsed(answerParserError(new Error('CONNECT is for proxies'), socket), socket);
  });
  return server;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const { logger } = ports;
    try {
      respond(request, response).catch((error: unknown) => giveUp({ response, logger }, error));
    } catch (error) {
      giveUp({ response, logger }, error);
    }
  }

  function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const flight = inFlight.begin(request, response);
    const { remoteAddress = '' } = request.socket;
    const client = clientOf(remoteAddress, request.headers['x-forwarded-for'] as string | undefined);
    const dispatched = dispatch(request, request.method ?? 'GET', client);
    const work = () => workOff({ request, response, flight, client }, dispatched);
    const turn = dispatched.match?.route.endpoint.spec.urgent ? undefined : flight.turn;
    return turn ? turn.then((connected) => (connected ? work() : undefined)) : work();
  }

  function workOff({ request, response, flight, client }: Arrived, dispatched: Dispatch): Promise<void> {
    const { target, run, match, extra } = dispatched;
    const method = request.method ?? 'GET';
    const event = toEvent({
      method,
      path: target.path,
      query: target.query,
      headers: request.headers as Record<string, string | undefined>, // as: only set-cookie could be an array, and it is none here
      params: match?.params ?? {},
      routeKey: match?.routeKey ?? `${method} (unmatched)`,
      sourceIp: client.address,
      now: ports.clock(),
    });
    const context = {
      host: new RequestFacts({ ports, listener, flight, client, request, bodies }),
      exchange: undefined,
    };
    const answered = run ? answer(event, context, UNROUTED, run) : (match as Match).route.endpoint(event, context); // as: what is not run is matched
    return answered.then((result) => {
      const origin = cors(request.headers.origin);
      if (origin) Object.assign(result.headers, origin);
      if (extra) Object.assign(result.headers, extra);
      // Of a request that would leave HTTP Node's parser drops what follows in the same packet, a stop for instance.
      if (inFlight.draining || request.headers.upgrade !== undefined) result.headers.connection = 'close';
      flight.endless = result.headers['content-type'] === 'text/event-stream';
      const muchUnread = leavesMuchUnread(request);
      const { address } = client;
      outbox.post(result, { request, response, limits, logger: ports.logger, muchUnread, answers, address });
    });
  }

  /** The route of a request, or what the host itself answers. */
  function dispatch(request: IncomingMessage, method: string, { address }: Client): Dispatch {
    let target: Target = { path: '/', query: '', authority: undefined };
    try {
      target = readTarget(request, limits);
      checkHost(target.authority);
      if (
        method === 'OPTIONS' &&
        isPreflight(request) &&
        cors(request.headers.origin)?.['access-control-allow-origin']
      ) {
        return { target, run: preflight, extra: preflightHeaders(router.allowed(target.path)) };
      }
      const match = router.find(method, target.path);
      if (!match) throw noRoute(method, target.path);
      inFlight.admit(match.routeKey);
      if (!isIndispensable(match)) {
        connections.admit(request.socket);
        answers.admit(address);
      }
      return { target, match };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { target, run: refuse(error) };
    }
  }

  function noRoute(method: string, path: string): ServiceError {
    const allowed = router.allowed(path);
    if (allowed.length === 0) {
      return new ServiceError('not_found', { detail: 'No route has this path. GET /openapi.json lists every route.' });
    }
    return new ServiceError('method_not_allowed', {
      detail: `${method} is not allowed here; allowed: ${allowed.join(', ')}.`,
      headers: { allow: allowed.join(', ') },
    });
  }

  function logUnparsed(error: ServiceError | undefined, socket: Socket): void {
    if (error)
      ports.logger.info(
        { listener, status: error.status, code: error.code, address: socket.remoteAddress },
        'no request',
      );
  }
}

interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly flight: Flight;
  readonly client: Client;
}

interface Dispatch {
  readonly target: Target;
  readonly match?: Match;
  readonly run?: RunPipeline;
  readonly extra?: Record<string, string>;
}

function refuse(error: ServiceError): RunPipeline {
  return async (_event, { exchange }) => {
    exchange.errorCode = error.code;
    return problem(error, exchange.requestId);
  };
}

const preflight: RunPipeline = async () => ({ statusCode: 204, headers: {}, body: '' });

function isPreflight(request: IncomingMessage): boolean {
  return request.headers['access-control-request-method'] !== undefined;
}
