import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { leases } from '../../functions/shared/control/ports.ts';
import { keyStore, revocations, signingKeys, tokens } from '../../functions/shared/identity/ports.ts';
import { createRunTokens, runIdentity } from '../../functions/shared/identity/run-tokens.ts';
import { refusals } from '../../functions/shared/observability/ports.ts';
import { give, type Ports, PortsFor } from '../../functions/shared/port.ts';
import type { OpenRunDoor } from '../../functions/shared/runs/run-door.port.ts';
import { createDialectServer } from '../events/dialect/dialect-server.ts';
import { AnswerBudget } from '../http/answer-budget.ts';
import { bindPath } from '../http/bind-path.ts';
import { Connections } from '../http/connections.ts';
import { RequestPace } from '../http/request-pace.ts';
import { createRouter } from '../http/router.ts';
import { createHttpServer, type ServerParts } from '../http/server.ts';
import type { Route } from '../routes.ts';

/** Connections of a run at once, over each of its sockets. */
const CONNECTIONS = { tcp: 8, tcpPerBlock: 8, socket: 8, overflow: 2 };
/** Requests of a run that begin in one turn of the event loop: it must leave the turns to everybody else. */
const STARTS_PER_TURN = 2;
/** Unanswered requests of a connection; with more it is closed. */
const MAX_PIPELINED = 16;
/** Only the user of the service, and whom the socket is handed to. */
const UMASK = 0o177;

/** What a run can reach; all else is 404. `{version}` stands for both. */
const PATHS = [
  /^\/status$/,
  /^\/api\/\{version\}\/(auth\/|auth\/refresh\/|stop|commands\/|get\/\{command\}|estop|events|lease\/.*|jog\/)$/,
  /^\/api\/\{version\}\/(commands\/\{command\}|coordinates|str|int|float|bool|dict|list)\/$/,
];
const READS = /^\/api\/\{version\}\/database\/(read|read_item)\/$/;

/** Whether a route is open to runs. */
export function isOpenToRuns({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return PATHS.some((pattern) => pattern.test(path)) || (method === 'GET' && READS.test(path));
}

/**
 * Opens the sockets of runs: one with the routes that runs may use, one with the dialect of the vendor's client. All
 * requests there are the run's, at level USER.
 */
export function runDoors(parts: () => ServerParts, routes: readonly Route[]): OpenRunDoor {
  const router = createRouter(routes.filter(isOpenToRuns), false);

  return async ({ runId, lease }, { socketPath, eventsPath }) => {
    const shared = parts();
    const { ports, limits } = shared;
    let isRefused = false;
    const own = await portsOf(ports, runId, () => isRefused);
    const counted = await ports.get(refusals);
    const connections = new Connections(CONNECTIONS, counted, () => true);
    const answers = new AnswerBudget(limits, counted);
    const inside = { ...shared, ports: own, router, connections, answers, pace: new RequestPace(STARTS_PER_TURN) };
    const returnLease = lease === undefined ? undefined : (await ports.get(leases)).loans.lend(lease, runId);
    const sockets = new Set<Socket>();
    const streams = new Set<Socket>();
    const servers = [createHttpServer('socket', inside), createDialectServer(inside)];
    for (const server of servers) {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
      server.prependListener('request', ({ socket }: IncomingMessage) => {
        if (shared.inFlight.pendingOf(socket) >= MAX_PIPELINED) socket.destroy();
      });
      server.on('upgrade', (_request, socket: Socket) => {
        streams.add(socket);
        socket.once('close', () => streams.delete(socket));
      });
    }
    const close = async () => {
      isRefused = true;
      returnLease?.();
      await Promise.all(servers.map(closed));
      for (const socket of sockets) socket.destroy();
    };
    try {
      await bindPath(servers[0] as Server, socketPath, UMASK); // as: there are two of them
      await bindPath(servers[1] as Server, eventsPath, UMASK);
    } catch (error) {
      await close();
      throw error;
    }
    return {
      refuse() {
        isRefused = true;
        for (const socket of streams) socket.destroy(); // whoever needs no token there is not asked again
        // A backlog of requests would be worked off after the end of the run. One may be a stop that waits for its answer.
        for (const socket of sockets) if (shared.inFlight.pendingOf(socket) > 1) socket.destroy();
      },
      close,
    };
  };
}

async function portsOf(ports: Ports, runId: string, isRefused: () => boolean): Promise<Ports> {
  const { config, clock } = ports;
  const runTokens = createRunTokens(
    {
      config,
      clock,
      signingKeys: await ports.get(signingKeys),
      keyStore: await ports.get(keyStore),
      revocations: await ports.get(revocations),
    },
    runId,
    isRefused,
  );
  return new PortsFor(ports, runIdentity(runId), {
    config: { ...config, SERVICE_SOCKET_ACCESS_LEVEL: 'USER' },
    given: [give(tokens, runTokens)],
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    setImmediate(resolve); // connections that became WebSockets are destroyed by the caller
  });
}
