import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPrometheusMetrics } from '../functions/shared/adapters/metrics/prometheus.ts';
import { give, Ports, type Surroundings } from '../functions/shared/port.ts';
import {
  apiDocument,
  keyStore,
  lifecycle,
  metrics,
  robotLink,
  signingKeys,
  skillFiles,
} from '../functions/shared/ports.ts';
import { startCompanions } from './companions.ts';
import { InFlight } from './in-flight.ts';
import { LIMITS, type Limits } from './limits.ts';
import { apiDocumentOf } from './openapi.ts';
import { createRouter } from './router.ts';
import { ROUTES } from './routes.ts';
import { createHttpServer } from './server.ts';
import { StartError } from './start-error.ts';
import { listenOnSocket } from './unix-socket.ts';

export interface Service {
  readonly ports: Ports;
  /** Where TCP clients find it. */
  readonly url: string;
  readonly socketPath: string | undefined;
  readonly inFlight: InFlight;
  /** Lets requests finish, then ends them, closes the listeners and every port. Takes at most about 9 s. */
  stop(): Promise<void>;
}

/**
 * Listens on TCP and on the Unix socket with the whole route table. What cannot work, a signing key that others can read
 * for instance, ends the start here and not the first request.
 * @throws StartError in one line when a port or socket is taken; what the ports throw.
 */
export async function startService(surroundings: Surroundings, limits: Limits = LIMITS): Promise<Service> {
  const inFlight = new InFlight();
  const counting = createPrometheusMetrics();
  const ports = new Ports({
    ...surroundings,
    given: [
      give(metrics, counting),
      give(lifecycle, inFlight),
      give(apiDocument, apiDocumentOf(ROUTES)),
      ...(surroundings.given ?? []),
    ],
  });
  await Promise.all([signingKeys, keyStore, robotLink, skillFiles].map((which) => ports.get<unknown>(which)));
  const { SERVICE_HOST, SERVICE_PORT, SERVICE_SOCKET_PATH, SERVICE_SOCKET_GROUP } = ports.config;
  const parts = { ports, router: createRouter(ROUTES, ports.config.fleet), inFlight, limits };
  const tcp = createHttpServer('tcp', parts);
  const servers = [tcp];
  await listenOnTcp(tcp, SERVICE_HOST, SERVICE_PORT);
  if (SERVICE_SOCKET_PATH !== '') {
    const local = createHttpServer('socket', parts);
    await listenOnSocket(local, SERVICE_SOCKET_PATH, SERVICE_SOCKET_GROUP).catch((error: unknown) => {
      tcp.close();
      throw error;
    });
    servers.push(local);
  }
  const companions = await startCompanions(ports).catch(async (error: unknown) => {
    await Promise.all(servers.map(close));
    throw error;
  });
  const { address, port, family } = tcp.address() as AddressInfo; // as: a TCP server has no other kind of address
  return {
    ports,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    socketPath: SERVICE_SOCKET_PATH === '' ? undefined : SERVICE_SOCKET_PATH,
    inFlight,
    async stop() {
      await inFlight.drain(limits.drainGrace);
      await inFlight.end(limits.drainEnd);
      await companions.close();
      await Promise.all(servers.map(close));
      await ports.close();
      counting.close();
    },
  };
}

function listenOnTcp(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(whyNot(error, host, port))));
    server.listen(port, host, resolve);
  });
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use already. Stop what listens there or set SERVICE_PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Set SERVICE_HOST.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set SERVICE_PORT to one above 1023.`;
    default:
      return `Port ${port} on ${host} cannot be listened on (${error.code}). Set SERVICE_HOST and SERVICE_PORT.`;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
