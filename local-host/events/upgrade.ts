import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Caller } from '../../functions/shared/access.ts';
import { jogs } from '../../functions/shared/control/ports.ts';
import { noSuchRoute, ServiceError } from '../../functions/shared/errors.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { StreamToken } from '../../functions/shared/identity/stream-token.ts';
import { metrics } from '../../functions/shared/observability/ports.ts';
import { bearerToken } from '../../functions/shared/pipeline/bearer-token.ts';
import type { HostFacts } from '../../functions/shared/pipeline/exchange.ts';
import { assertNoQuery } from '../../functions/shared/pipeline/parse-input.ts';
import { prefixIn } from '../../functions/shared/pipeline/public-path.ts';
import { asServiceError } from '../../functions/shared/pipeline/render-error.ts';
import type { Ports } from '../../functions/shared/port.ts';
import type { Connections } from '../http/connections.ts';
import type { InFlight } from '../http/in-flight.ts';
import { answerOnSocket } from '../http/parser-error.ts';
import type { EventStreams } from './event-streams.ts';
import { robotOf } from './handshake.ts';
import { JogFrames } from './jog-frames.ts';
import { openEvents } from './robot-events.ts';
import { WebSocketConnection } from './websocket-connection.ts';

const USES = { tokens, metrics, openEvents };
/** Name of the route in log and metrics. */
const ROUTE = 'GET /api/{version}/events';
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export interface UpgradeParts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly connections: Connections;
  readonly inFlight: InFlight;
  readonly streams: EventStreams;
  /** Checks headers, host and origin. @throws ServiceError. */
  readonly assertAllowed: (request: IncomingMessage) => void;
  readonly addressOf: (request: IncomingMessage) => string;
}

/**
 * Takes WebSocket handshakes on the events path. One that is refused is answered with a problem, like any request:
 * the checks are those of HTTP, in its order, and a token in the Authorization header is verified before the upgrade.
 */
export function createUpgradeHandler(parts: UpgradeParts) {
  const { ports, listener, connections, inFlight, streams, addressOf } = parts;
  const { frameBytes, closeMs } = streams.limits;
  const options = { noServer: true, clientTracking: false, maxPayload: frameBytes, closeTimeout: closeMs };
  const webSockets = new WebSocketServer(options); // a variable, since the types do not know closeTimeout yet

  return (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const started = performance.now();
    socket.on('error', () => undefined); // 'close' follows
    if (socket.destroyed) return;
    accept(request, socket, head, started).catch((error: unknown) => {
      void refuse(asServiceError(error), request, socket, started);
    });
  };

  async function accept(request: IncomingMessage, socket: Socket, head: Buffer, started: number): Promise<void> {
    // Whatever is still to be answered on this connection could not be told from the frames.
    if (inFlight.isPending(socket)) {
      socket.destroy();
      return;
    }
    parts.assertAllowed(request);
    inFlight.admit(ROUTE);
    const here = portsFor(robotOf(request));
    connections.admit(socket);
    assertHandshake(request);
    const held = await here.resolve(USES);
    const jogController = ports.config.fleet ? undefined : await ports.get(jogs);
    const { authorization } = request.headers;
    const token = authorization ? await StreamToken.accept(held.tokens, bearerToken(authorization)) : undefined;
    assertNoQuery(queryOf(request));
    const local = listener === 'socket' ? localCaller() : undefined;
    const first = token?.caller ?? local;
    const opened = first && (await held.openEvents(first.keyId));
    if (opened) socket.once('close', opened.release);
    if (socket.destroyed) return opened?.release();
    inFlight.admit(ROUTE);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      held.metrics.request(ROUTE, 'GET', 101, (performance.now() - started) / 1000);
      const facts = { route: ROUTE, listener, address: addressOf(request) };
      const { address } = facts;
      let caller: Caller | undefined;
      new WebSocketConnection({
        socket: webSocket,
        streams,
        tokens: held.tokens,
        token,
        jogFrames: new JogFrames(jogController, { address, listener }),
        local,
        opened,
        open: held.openEvents,
        prefix: prefixOf(request),
        onAuthenticated(accepted) {
          if (caller) return;
          caller = accepted;
          connections.markBusy(socket);
          const { clientId: client_id, keyId: key_id } = accepted;
          ports.logger.info({ ...facts, status: 101, client_id, key_id }, 'events connected');
        },
        onClosed(code) {
          const seconds = Math.round((performance.now() - started) / 1000);
          ports.logger.info(
            { ...facts, client_id: caller?.clientId, close_code: code, seconds },
            'events disconnected',
          );
        },
      });
    });
  }

  async function refuse(error: ServiceError, request: IncomingMessage, socket: Socket, started: number): Promise<void> {
    if (!answerOnSocket(error, socket, prefixOf(request))) return;
    const { code, status } = error;
    const counting = await ports.get(metrics);
    if (status === 401) counting.authFailure(code);
    counting.request(ROUTE, 'GET', status, (performance.now() - started) / 1000);
    ports.logger.info({ route: ROUTE, status, code, listener, address: addressOf(request) }, 'request');
  }

  /** Allocates nothing for a robot before a token for it is accepted. @throws ServiceError `not_found`. */
  function portsFor(robotId: string | undefined): Ports {
    if (robotId === undefined) return ports;
    if (ports.config.fleet) return ports.forRobot(robotId, false);
    throw noSuchRoute();
  }

  function prefixOf({ url = '' }: IncomingMessage): string {
    return prefixIn(url, ports.config.fleet);
  }

  /** Whom the permissions of the Unix socket have let in. */
  function localCaller(): Caller {
    const accessLevel = ports.config.SERVICE_SOCKET_ACCESS_LEVEL;
    return { ...ports.local, accessLevel, mayPublish: false };
  }
}

function queryOf({ url = '' }: IncomingMessage): string {
  return url.split('?').slice(1).join('?');
}

/** Refuses what ws would refuse in plain text. @throws ServiceError `bad_request`. */
export function assertHandshake({ headers }: IncomingMessage): void {
  if (!KEY.test(headers['sec-websocket-key'] ?? '') || headers['sec-websocket-version'] !== '13') {
    throw new ServiceError('bad_request', {
      detail: 'Not a valid WebSocket handshake: it needs Sec-WebSocket-Key, and Sec-WebSocket-Version 13.',
      headers: { 'sec-websocket-version': '13' },
    });
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (new Set(protocols).size < protocols.length || protocols.some((name) => !TOKEN.test(name))) {
    throw new ServiceError('bad_request', { detail: 'Sec-WebSocket-Protocol has no valid value; leave it out.' });
  }
}
