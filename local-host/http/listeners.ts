import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StopAddresses } from '../../functions/system/status/status.schema.ts';
import { createDialectServer } from '../events/dialect/dialect-server.ts';
import { createOwnPageCheck } from '../guard/own-pages.ts';
import { StartError } from '../start-error.ts';
import type { Router } from './router.ts';
import { createHttpServer, type ServerParts } from './server.ts';
import type { TlsCertificate } from './tls-certificate/port.ts';
import { tlsCertificate } from './tls-certificate/ports.ts';
import { CertificateRenewal } from './tls-certificate/self-signed/renewal.ts';
import { listenOnSocket, SocketError } from './unix-socket.ts';

/** Where clients reach the service. */
export interface Addresses {
  readonly url: string;
  readonly tlsUrl: string | undefined;
  readonly socketPath: string | undefined;
  /** Where the vendor's client receives events; undefined if disabled or impossible to open. */
  readonly eventsUrl: string | undefined;
}

interface ListenerParts extends ServerParts {
  /** Knows stop and nothing else. */
  readonly stopRouter: Router;
}

/**
 * The servers of the process: TCP always, TLS if there is a certificate, the Unix socket and the events port unless
 * disabled.
 */
export class Listeners {
  readonly #parts: ListenerParts;
  readonly #servers: Server[] = [];
  /** Why the configured Unix socket could not be opened. */
  socketProblem: string | undefined;
  /** Who has its path: a process or a user. */
  socketOwner: string | undefined;
  /** Why the events port could not be opened. */
  eventsProblem: string | undefined;
  /** Why a port or the socket that serves stop alone could not be opened. */
  stopProblem: string | undefined;
  /** Where stop alone is served; null while that is left to a guard, or to nobody. */
  stopAddresses: StopAddresses | null = null;
  /** What the TLS listener shows, and its port; undefined while there is none. */
  tls: { readonly certificate: TlsCertificate; readonly port: number } | undefined;
  #renewal: CertificateRenewal | undefined;
  #tlsAuthority: string | undefined;
  /** Of the service's own pages. */
  readonly #servicePorts: number[] = [];

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** Why there is no TLS although the service makes its own certificate, or why that was not renewed. */
  get tlsProblem(): string | undefined {
    return this.#renewal?.problem();
  }

  /** What the TLS listener shows now; undefined while there is none. */
  servedTls(): { readonly port: number; readonly pem: string } | undefined {
    return this.tls && { port: this.tls.port, pem: this.tls.certificate.current().cert };
  }

  /**
   * Opens TCP and TLS, or neither. TLS with a certificate of our own, a Unix socket or an events port that cannot be
   * opened is not fatal, so that no other user of the machine can keep the service from starting.
   * @throws StartError with one line when a port is in use; ConfigError for an invalid certificate or socket setting.
   */
  async open(): Promise<Addresses> {
    const { ports, limits } = this.#parts;
    const { config, logger, clock } = ports;
    const certificate = config.tlsSelfSigned ? undefined : await ports.get(tlsCertificate);
    const target = { host: config.SERVICE_HOST, port: config.SERVICE_PORT, setting: 'SERVICE_PORT' };
    try {
      const tcp = await this.#listen(createHttpServer('tcp', this.#parts), target);
      this.#servicePorts.push(portOf(tcp));
      if (certificate) await this.#openTls(certificate);
      if (config.tlsSelfSigned) {
        const listen = (own: TlsCertificate) => this.#openOwnTls(own);
        const checkMs = limits.certificateCheckMs;
        this.#renewal = new CertificateRenewal({ config, logger, clock, listen, checkMs });
        await this.#renewal.start();
      }
      if (config.stopServer === 'service') this.stopAddresses = await this.#openStop(this.tls?.certificate);
      return {
        url: `http://${tcp}`,
        tlsUrl: this.#tlsAuthority === undefined ? undefined : `https://${this.#tlsAuthority}`,
        socketPath: await this.#openSocket(),
        eventsUrl: await this.#openEvents(),
      };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #openTls(certificate: TlsCertificate): Promise<void> {
    const { SERVICE_HOST: host, SERVICE_TLS_PORT: port } = this.#parts.ports.config;
    const target = { host, port, setting: 'SERVICE_TLS_PORT' };
    this.#tlsAuthority = await this.#listen(createHttpServer('tcp', this.#parts, certificate), target);
    this.tls = { certificate, port: portOf(this.#tlsAuthority) };
    this.#servicePorts.push(this.tls.port);
  }

  async #openOwnTls(certificate: TlsCertificate): Promise<void> {
    await this.#openTls(certificate);
    if (this.stopAddresses) {
      this.stopAddresses = { ...this.stopAddresses, tls_port: await this.#openStopPort(certificate) };
    }
  }

  /** The addresses of a guard, served by this process: a simulated robot is gone with it. */
  async #openStop(certificate: TlsCertificate | undefined): Promise<StopAddresses> {
    const { config } = this.#parts.ports;
    const { stopSocketPath } = config;
    const socket = async (): Promise<string> => {
      const server = createHttpServer('socket', this.#stopParts());
      await listenOnSocket(server, { ...config, SERVICE_SOCKET_PATH: stopSocketPath });
      this.#servers.push(server);
      return stopSocketPath;
    };
    return {
      port: await this.#openStopPort(),
      tls_port: certificate ? await this.#openStopPort(certificate) : null,
      socket: stopSocketPath === '' ? null : await this.#unlessTaken(socket),
    };
  }

  async #openStopPort(certificate?: TlsCertificate): Promise<number | null> {
    const { stopPort, stopTlsPort, SERVICE_HOST: host } = this.#parts.ports.config;
    const port = certificate ? stopTlsPort : stopPort;
    if (port === undefined) return null;
    const server = createHttpServer('tcp', this.#stopParts(), certificate);
    const authority = await this.#unlessTaken(() => this.#listen(server, { host, port, setting: 'SERVICE_STOP_PORT' }));
    return authority === null ? null : portOf(authority);
  }

  #stopParts(): ServerParts {
    const { stopRouter } = this.#parts;
    return { ...this.#parts, router: stopRouter, isOwnPage: createOwnPageCheck(this.#servicePorts) };
  }

  async #unlessTaken(listen: () => Promise<string>): Promise<string | null> {
    try {
      return await listen();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.stopProblem = error.message;
      this.#parts.ports.logger.warn(`${error.message} Stop is served by the service alone.`);
      return null;
    }
  }

  /** The path of the socket; undefined if disabled or impossible to open. */
  async #openSocket(): Promise<string | undefined> {
    const { config, logger } = this.#parts.ports;
    if (config.SERVICE_SOCKET_PATH === '') return undefined;
    const server = createHttpServer('socket', this.#parts);
    try {
      await listenOnSocket(server, config);
    } catch (error) {
      if (!(error instanceof SocketError)) throw error;
      this.socketOwner = error.owner;
      this.socketProblem = error.message;
      logger.warn(`${error.message} Continuing without the Unix socket.`);
      return undefined;
    }
    this.#servers.push(server);
    return config.SERVICE_SOCKET_PATH;
  }

  async #openEvents(): Promise<string | undefined> {
    const { config, logger } = this.#parts.ports;
    if (config.eventsPort === undefined) return undefined;
    const target = { host: config.SERVICE_HOST, port: config.eventsPort, setting: 'SERVICE_EVENTS_PORT' };
    try {
      const url = `ws://${await this.#listen(createDialectServer(this.#parts), target)}`;
      logger.info({ url }, "listening for the vendor's client");
      return url;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.eventsProblem = error.message;
      logger.warn(`${error.message} Continuing without the events port.`);
      return undefined;
    }
  }

  /** Closes every listener and its remaining connections. */
  async close(): Promise<void> {
    await this.#renewal?.close();
    await Promise.all(this.#servers.map(close));
  }

  /** @returns the authority of the server's URL, whose port may have been picked by the system. */
  async #listen(server: Server, target: ListenTarget): Promise<string> {
    await bind(server, target);
    this.#servers.push(server);
    const { address, port, family } = server.address() as AddressInfo; // as: a TCP server has no other kind of address
    return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }
}

interface ListenTarget {
  readonly host: string;
  readonly port: number;
  /** The setting that changes the port. */
  readonly setting: string;
}

function bind(server: Server, target: ListenTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(listenProblem(error, target))));
    server.listen(target.port, target.host, resolve);
  });
}

function listenProblem(error: NodeJS.ErrnoException, { host, port, setting }: ListenTarget): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${setting}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Set SERVICE_HOST.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${setting} to a port above 1023.`;
    default:
      return `Cannot listen on port ${port} of ${host} (${error.code}). Set SERVICE_HOST and ${setting}.`;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(authority: string): number {
  return Number(authority.slice(authority.lastIndexOf(':') + 1));
}
