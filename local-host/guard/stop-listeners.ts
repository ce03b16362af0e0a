import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../functions/shared/config.ts';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { openTlsCertificate } from '../http/tls-certificate/open.ts';
import { listenOnSocket } from '../http/unix-socket.ts';
import type { StopAddresses } from './messages.ts';
import { StopConnections } from './stop-connections.ts';
import { createStopServer, type StopServerParts } from './stop-server.ts';

const MAX_TCP = 64;
const MAX_SOCKET = 16;
const MAX_PER_ADDRESS = 8;
/** For how long a port that is taken is tried without a word: an orphan needs a moment to make way. */
const QUIET_TRIES = 20;
const QUIET_RETRY_MS = 100;
const RETRY_MS = 2_000;

/** Where the guard serves, and why it does not serve elsewhere as well. */
export interface Serving {
  readonly addresses: StopAddresses;
  readonly problem?: string;
}

type Place = keyof StopAddresses;

/** The servers of the guard. What cannot be opened is tried again until it can. */
export class StopListeners {
  readonly #parts: StopServerParts;
  /** Where the lock of the socket lies. */
  readonly #folder: string;
  readonly #onChange: (serving: Serving) => void;
  readonly #servers: Server[] = [];
  readonly #problems = new Map<Place, string>();
  #addresses: StopAddresses = { port: null, tls_port: null, socket: null };
  #opened = false;
  #closed = false;

  constructor(parts: StopServerParts, folder: string, onChange: (serving: Serving) => void) {
    this.#parts = parts;
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** Settles when each of them is open, or has turned out not to open for now. */
  async open(): Promise<void> {
    const { config, logger } = this.#parts;
    const tcp = new StopConnections(MAX_TCP, MAX_PER_ADDRESS);
    const local = new StopConnections(MAX_SOCKET, MAX_SOCKET);
    await Promise.all([
      this.#keepTrying('port', async () =>
        config.stopPort === undefined
          ? null
          : this.#listen(createStopServer('tcp', this.#parts, tcp), config.stopPort, config.SERVICE_HOST),
      ),
      this.#keepTrying('tls_port', async () => {
        if (config.stopTlsPort === undefined) return null;
        const certificate = await openTlsCertificate(config, logger, Date.now);
        if (!certificate) return null;
        const server = createStopServer('tcp', this.#parts, tcp, certificate);
        return this.#listen(server, config.stopTlsPort, config.SERVICE_HOST);
      }),
      this.#keepTrying('socket', () => this.#openSocket(config, local)),
    ]);
    this.#opened = true;
    this.#tell();
  }

  close(): void {
    this.#closed = true;
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  /** Settles with the first success, or when it is not worth to be waited for. */
  #keepTrying<P extends Place>(place: P, open: () => Promise<StopAddresses[P]>): Promise<void> {
    return new Promise((resolve) => {
      const attempt = async (count: number): Promise<'open' | 'quiet' | 'failed'> => {
        try {
          const address = await open();
          this.#addresses = { ...this.#addresses, [place]: address };
          if (this.#problems.delete(place)) this.#tell();
          return 'open';
        } catch (error) {
          if (codeOf(error) === 'EADDRINUSE' && count < QUIET_TRIES) return 'quiet';
          this.#report(place, error);
          return 'failed';
        }
      };
      const keepTrying = async (): Promise<void> => {
        for (let count = 1; !this.#closed; count += 1) {
          const outcome = await attempt(count);
          if (outcome !== 'quiet') resolve();
          if (outcome === 'open') return;
          await sleep(outcome === 'quiet' ? QUIET_RETRY_MS : RETRY_MS);
        }
      };
      void keepTrying();
    });
  }

  #report(place: Place, error: unknown): void {
    const { SERVICE_HOST, stopPort, stopTlsPort } = this.#parts.config;
    const port = place === 'port' ? stopPort : stopTlsPort;
    const why =
      codeOf(error) !== undefined && place !== 'socket'
        ? `Cannot listen on port ${port} of ${SERVICE_HOST} (${codeOf(error)}). Set SERVICE_STOP_PORT.`
        : error instanceof Error
          ? error.message
          : String(error);
    if (this.#problems.get(place) === why) return;
    this.#problems.set(place, why);
    this.#tell();
  }

  #tell(): void {
    if (!this.#opened) return;
    const problem = [...this.#problems.values()].join(' ');
    const serving = { addresses: this.#addresses, ...(problem === '' ? {} : { problem }) };
    this.#parts.logger.info(serving, 'the guard serves stop');
    this.#onChange(serving);
  }

  async #listen(server: Server, port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#servers.push(server);
    return (server.address() as AddressInfo).port; // as: a TCP server has no other kind of address
  }

  async #openSocket(config: Config, connections: StopConnections): Promise<string | null> {
    const path = config.stopSocketPath;
    if (path === '') return null;
    const server = createStopServer('socket', this.#parts, connections);
    await listenOnSocket(server, { ...config, SERVICE_SOCKET_PATH: path, SERVICE_DATA_DIR: this.#folder });
    this.#servers.push(server);
    return path;
  }
}
