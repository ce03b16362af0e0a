import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tlsCertificate } from '../functions/shared/ports.ts';
import { createHttpServer, type ServerParts } from './server.ts';
import { StartError } from './start-error.ts';
import { listenOnSocket } from './unix-socket.ts';

/** Where clients find the service. */
export interface Places {
  readonly url: string;
  readonly tlsUrl: string | undefined;
  readonly socketPath: string | undefined;
}

/** The servers of the process: plain TCP always, TLS when there is a certificate, the Unix socket unless it is turned off. */
export class Listeners {
  readonly #parts: ServerParts;
  readonly #servers: Server[] = [];
  /** Why there is no Unix socket though one is wanted. */
  socketProblem: string | undefined;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /**
   * Opens TCP and TLS, or nothing; without its socket the service goes on, so that no other user can keep it from starting.
   * @throws StartError in one line when a port is taken; ConfigError for a certificate or socket setting that cannot be used.
   */
  async open(): Promise<Places> {
    const { ports } = this.#parts;
    const { SERVICE_HOST, SERVICE_PORT, SERVICE_TLS_PORT } = ports.config;
    const certificate = await ports.get(tlsCertificate);
    const place = { host: SERVICE_HOST, port: SERVICE_PORT, setting: 'SERVICE_PORT' };
    const tlsPlace = { host: SERVICE_HOST, port: SERVICE_TLS_PORT, setting: 'SERVICE_TLS_PORT' };
    try {
      const tcp = await this.#listen(createHttpServer('tcp', this.#parts), place);
      const tls = certificate && (await this.#listen(createHttpServer('tcp', this.#parts, certificate), tlsPlace));
      return {
        url: `http://${tcp}`,
        tlsUrl: tls === undefined ? undefined : `https://${tls}`,
        socketPath: await this.#openSocket(),
      };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** The path of the socket; undefined when none is wanted, or none can be had. */
  async #openSocket(): Promise<string | undefined> {
    const { config, logger } = this.#parts.ports;
    if (config.SERVICE_SOCKET_PATH === '') return undefined;
    const local = createHttpServer('socket', this.#parts);
    try {
      await listenOnSocket(local, config);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.socketProblem = error.message;
      logger.warn(`${error.message} The service goes on without its Unix socket.`);
      return undefined;
    }
    this.#servers.push(local);
    return config.SERVICE_SOCKET_PATH;
  }

  /** Closes every listener and cuts the connections that are left. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map(close));
  }

  /** The authority under which the server is found: the port may have been picked by the system. */
  async #listen(server: Server, place: Place): Promise<string> {
    await bind(server, place);
    this.#servers.push(server);
    const { address, port, family } = server.address() as AddressInfo; // as: a TCP server has no other kind of address
    return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** What to set to go elsewhere. */
  readonly setting: string;
}

function bind(server: Server, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(whyNot(error, place))));
    server.listen(place.port, place.host, resolve);
  });
}

function whyNot(error: NodeJS.ErrnoException, { host, port, setting }: Place): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use already. Stop what listens there or set ${setting}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Set SERVICE_HOST.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${setting} to one above 1023.`;
    default:
      return `Port ${port} on ${host} cannot be listened on (${error.code}). Set SERVICE_HOST and ${setting}.`;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
