import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { noSuchRoute, ServiceError } from '../../functions/shared/errors.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { answer, type RunPipeline } from '../../functions/shared/pipeline/answer.ts';
import type { HostFacts } from '../../functions/shared/pipeline/exchange.ts';
import { publicPrefix } from '../../functions/shared/pipeline/public-path.ts';
import { problem } from '../../functions/shared/pipeline/render-error.ts';
import type { EndpointSpec } from '../../functions/shared/pipeline/spec.ts';
import type { Ports } from '../../functions/shared/port.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { EventsRequest } from '../events/handshake.ts';
import { createUpgradeHandler } from '../events/upgrade.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { hasLargeUnreadBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { type Client, createClientAddress } from './client-address.ts';
import { addVary, Compression, withoutCoding } from './compression.ts';
import type { Connections } from './connections.ts';
import { createCors, createOriginCheck, isPreflight, type OriginCheck, preflightHeaders } from './cors.ts';
import { toEvent } from './event.ts';
import { createHostCheck } from './host-header.ts';
import { type InFlight, isEssential } from './in-flight.ts';
import type { Limits } from './limits.ts';
import { abortResponse, Outbox } from './outbox.ts';
import { answerParserError } from './parser-error.ts';
import type { PendingRequest } from './pending-request.ts';
import { RequestFacts } from './request-facts.ts';
import { readTarget, type Target } from './request-head.ts';
import type { RequestPace } from './request-pace.ts';
import type { Match, Router } from './router.ts';
import type { TlsCertificate } from './tls-certificate/port.ts';
import { createTlsServer } from './tls-server.ts';

export interface ServerParts {
  readonly ports: Ports;
  readonly router: Router;
  readonly inFlight: InFlight;
  readonly limits: Limits;
  readonly connections: Connections;
  readonly answers: AnswerBudget;
  readonly bodies: BodyBudget;
  readonly pace: RequestPace;
  readonly streams: EventStreams;
  /** Whether a page of another origin belongs to this service; absent: none does. */
  readonly isOwnPage?: OriginCheck;
}

/** Stands in for an endpoint when the host itself answers. */
const UNROUTED: EndpointSpec = { access: 'public', summary: 'No endpoint', output: { mediaTypes: [] } };

/**
 * An HTTP/1.1 server over the route table. The process has one for TCP, one for the Unix socket and, with a
 * certificate, one for TLS. Order of checks: headers, host (421), route (404, 405), then the endpoint's own pipeline.
 */
export function createHttpServer(
  listener: HostFacts['listener'],
  { ports, router, inFlight, limits, connections, answers, bodies, pace, streams, isOwnPage }: ServerParts,
  certificate?: TlsCertificate,
): Server {
  const { config } = ports;
  const checkHost = listener === 'tcp' ? createHostCheck(config.SERVICE_ALLOWED_HOSTS) : () => undefined;
  const clientOf = createClientAddress(config.SERVICE_TRUSTED_PROXY);
  const cors = createCors(config.SERVICE_CORS_ORIGINS, isOwnPage);
  const checkOrigin = createOriginCheck(config.SERVICE_CORS_ORIGINS);
  const outbox = new Outbox();
  const compression = new Compression();

  const options = {
    requireHostHeader: false,
    maxHeaderSize: 4 * limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    noDelay: true,
    IncomingMessage: EventsRequest,
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
    logUnparsed(answerParserError(new Error('CONNECT is not supported'), socket), socket);
  });
  const acceptUpgrade = createUpgradeHandler({
    ports,
    listener,
    connections,
    inFlight,
    streams,
    assertAllowed(request) {
      const { authority } = readTarget(request, limits);
      checkHost(authority);
      if (listener === 'tcp') checkOrigin(request.headers.origin, authority);
    },
    addressOf: (request) => clientFor(request).address,
  });
  server.on('upgrade', acceptUpgrade);
  return server;

  function clientFor(request: IncomingMessage): Client {
    return clientOf(request.socket.remoteAddress ?? '', request.headers['x-forwarded-for'] as string | undefined); // as: Node joins it
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const { logger } = ports;
    // What the rest of a packet holds when its connection was closed for the requests before.
    if (request.socket.destroyed) return;
    try {
      respond(request, response).catch((error: unknown) => abortResponse({ response, logger }, error));
    } catch (error) {
      abortResponse({ response, logger }, error);
    }
  }

  function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pending = inFlight.begin(request, response);
    const client = clientFor(request);
    const dispatched = dispatch(request, request.method ?? 'GET', client);
    const run = () => handle({ request, response, pending, client }, dispatched);
    const { urgent, unordered } = dispatched.match?.route.endpoint.spec ?? {};
    if (urgent) return run();
    if (unordered) return pace.start(run);
    return pending.turn ? pending.turn.then((connected) => (connected ? pace.start(run) : undefined)) : pace.start(run);
  }

  function handle({ request, response, pending, client }: Arrival, dispatched: Dispatch): Promise<void> {
    const { target, run, match, extra } = dispatched;
    const method = request.method ?? 'GET';
    const event = toEvent({
      method,
      path: target.path,
      query: target.query,
      headers: withoutCoding(request.headers) as Record<string, string | undefined>, // as: of the headers Node merges, only set-cookie is an array, and that is a response header
      params: match?.params ?? {},
      routeKey: match?.routeKey ?? `${method} (unmatched)`,
      sourceIp: client.address,
      now: ports.clock(),
    });
    const context = {
      host: new RequestFacts({ ports, listener, pending, client, request, bodies }),
      exchange: undefined,
    };
    const answered = run ? answer(event, context, UNROUTED, run) : (match as Match).route.endpoint(event, context); // as: without `run` there is a match
    return answered.then((result) => {
      const compress = compression.chosen(result, request, event.routeKey);
      const { vary, ...origin } = cors(request.headers.origin, request.headers.host) ?? {};
      if (vary !== undefined) addVary(result.headers, vary);
      Object.assign(result.headers, origin);
      if (extra) Object.assign(result.headers, extra);
      // After an upgrade request Node's parser drops whatever follows in the same packet, which might be a stop.
      if (inFlight.draining || request.headers.upgrade !== undefined) result.headers.connection = 'close';
      const { authorization } = result.headers;
      if (typeof authorization === 'string') noteToken(authorization);
      pending.endless = result.headers['content-type'] === 'text/event-stream';
      const delivery = {
        request,
        response,
        limits,
        logger: ports.logger,
        largeUnreadBody: hasLargeUnreadBody(request),
        answers,
        clientAddress: client.address,
      };
      if (!compress) return outbox.post(result, delivery);
      return compression.apply(result).then((compressed) => outbox.post(compressed, delivery));
    });
  }

  /** A client of the events port stays connected as long as the newest token that it was given here. */
  function noteToken(authorization: string): void {
    streams.newestTokens.note(authorization, () => ports.get(tokens)).catch(() => undefined);
  }

  /** Finds the route of a request, or the host's own response. */
  function dispatch(request: IncomingMessage, method: string, { address }: Client): Dispatch {
    let target: Target = { path: '/', query: '', authority: undefined };
    try {
      target = readTarget(request, limits);
      checkHost(target.authority);
      if (
        method === 'OPTIONS' &&
        isPreflight(request) &&
        cors(request.headers.origin, target.authority)?.['access-control-allow-origin']
      ) {
        return { target, run: preflight, extra: preflightHeaders(router.allowed(target.path)) };
      }
      const match = router.find(method, target.path);
      if (!match) throw noRoute(method, target.path);
      inFlight.admit(match.routeKey);
      if (!isEssential(match)) {
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
    if (allowed.length === 0) return noSuchRoute();
    return new ServiceError('method_not_allowed', {
      detail: `${method} is not allowed on this path. Allowed: ${allowed.join(', ')}.`,
      headers: { allow: allowed.join(', ') },
    });
  }

  function logUnparsed(error: ServiceError | undefined, socket: Socket): void {
    if (error)
      ports.logger.info(
        { listener, status: error.status, code: error.code, address: socket.remoteAddress },
        'rejected invalid HTTP',
      );
  }
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pending: PendingRequest;
  readonly client: Client;
}

interface Dispatch {
  readonly target: Target;
  readonly match?: Match;
  readonly run?: RunPipeline;
  readonly extra?: Record<string, string>;
}

function refuse(error: ServiceError): RunPipeline {
  return async (event, { exchange }) => {
    exchange.errorCode = error.code;
    return problem(error, exchange.requestId, publicPrefix(event, exchange.host));
  };
}

const preflight: RunPipeline = async () => ({ statusCode: 204, headers: {}, body: '' });
