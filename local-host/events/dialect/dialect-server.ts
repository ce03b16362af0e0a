import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { ServiceError } from '../../../functions/shared/errors.ts';
import { tokens } from '../../../functions/shared/identity/ports.ts';
import { StreamToken } from '../../../functions/shared/identity/stream-token.ts';
import { metrics } from '../../../functions/shared/observability/ports.ts';
import { bearerToken } from '../../../functions/shared/pipeline/bearer-token.ts';
import { asServiceError } from '../../../functions/shared/pipeline/render-error.ts';
import type { Ports } from '../../../functions/shared/port.ts';
import { robotLink } from '../../../functions/shared/robot-link/ports.ts';
import type { Connections } from '../../http/connections.ts';
import { createOriginCheck } from '../../http/cors.ts';
import { createHostCheck } from '../../http/host-header.ts';
import { answerOnSocket, answerParserError } from '../../http/parser-error.ts';
import type { EventStreams } from '../event-streams.ts';
import { assertHandshake } from '../upgrade.ts';
import { DialectConnection } from './dialect-connection.ts';
import { RatedTopics } from './rated-topics.ts';
import { TopicBoard } from './topic-board.ts';

const USES = { tokens, metrics };
const ROUTE = 'GET / (events port)';

export interface DialectServerParts {
  readonly ports: Ports;
  readonly connections: Connections;
  readonly streams: EventStreams;
}

/**
 * The server of SERVICE_EVENTS_PORT, which speaks the dialect of the vendor's Python client: `GET /?token=<jwt>` opens a
 * WebSocket. It is the one place where a token is read from a URL; the URL is never logged. A token in the
 * Authorization header comes first.
 */
export function createDialectServer({ ports, connections, streams }: DialectServerParts): Server {
  const { SERVICE_ALLOWED_HOSTS, SERVICE_CORS_ORIGINS } = ports.config;
  const { frameBytes, closeMs, authenticateMs } = streams.limits;
  const checkHost = createHostCheck(SERVICE_ALLOWED_HOSTS);
  const checkOrigin = createOriginCheck(SERVICE_CORS_ORIGINS);
  const board = new TopicBoard();
  const rated = new RatedTopics(() => ports.get(robotLink), board);
  const options = { noServer: true, clientTracking: false, maxPayload: frameBytes, closeTimeout: closeMs };
  const webSockets = new WebSocketServer(options); // a variable, since the types do not know closeTimeout yet
  const server = createServer({ headersTimeout: authenticateMs, requestTimeout: authenticateMs, noDelay: true });
  connections.watch(server, 'tcp');
  server.on('request', (request: IncomingMessage, _response: ServerResponse) => {
    void refuse(notHere(), request.socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerParserError(error, socket);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined); // 'close' follows
    accept(request, socket, head).catch((error: unknown) => refuse(asServiceError(error), socket));
  });
  return server;

  async function accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { headers, url = '' } = request;
    checkHost(headers.host);
    checkOrigin(headers.origin, headers.host);
    connections.admit(socket);
    const [path, query] = url.split('?', 2);
    if (path !== '/' || headers.upgrade?.toLowerCase() !== 'websocket') throw notHere();
    assertHandshake(request);
    const { authorization } = headers;
    const text = authorization ? bearerToken(authorization) : new URLSearchParams(query).get('token');
    if (!text) throw new ServiceError('missing_token', { detail: 'Open ws://<host>:<port>/?token=<token>.' });
    const held = await ports.resolve(USES);
    const token = await StreamToken.accept(held.tokens, text);
    const { clientId: client_id, keyId: key_id } = token.caller;
    const leave = streams.takePlace(key_id);
    const release = streams.newestTokens.hold(token, held.tokens);
    const onClosed = (code: number) => {
      leave();
      release();
      ports.logger.info({ route: ROUTE, client_id, close_code: code }, 'events disconnected');
    };
    if (socket.destroyed) return onClosed(1006);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      connections.markBusy(socket);
      held.metrics.request(ROUTE, 'GET', 101, 0);
      ports.logger.info({ route: ROUTE, status: 101, client_id, key_id }, 'events connected');
      new DialectConnection({
        socket: webSocket,
        caller: token.caller,
        streams,
        board,
        rated,
        logger: ports.logger,
        onClosed,
      });
    });
  }

  async function refuse(error: ServiceError, socket: Socket): Promise<void> {
    if (!answerOnSocket(error, socket)) return;
    const counting = await ports.get(metrics);
    if (error.status === 401) counting.authFailure(error.code);
    ports.logger.info({ route: ROUTE, status: error.status, code: error.code }, 'request');
  }
}

function notHere(): ServiceError {
  return new ServiceError('not_found', {
    detail: 'This port speaks WebSocket on "/" only. The API is on the other port of this service (SERVICE_PORT).',
  });
}
