import net from 'node:net';
import tls from 'node:tls';
import { type ClientOptions, WebSocket } from 'ws';
import { Backoff } from '../../../kit/backoff.ts';
import { Calls } from '../../../kit/calls.ts';
import type { JsonObject } from '../../../kit/json.ts';
import { Latch } from '../../../kit/latch.ts';
import type { Logger } from '../../../observability/logger.ts';
import { maskUrl } from '../../../observability/mask-url.ts';
import type { Refusals } from '../../../observability/refusals.ts';
import { jsonSizeFault } from '../../../pipeline/plain-json.ts';
import { linkBroken, robotUnavailable } from '../robot-errors.ts';
import { MalformedMessages } from './malformed.ts';
import { messageIn, wireText } from './message-text.ts';
import { readInTurns } from './read-in-turns.ts';

/** Largest message that is taken, in bytes; a larger one ends the connection. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** Most members of a message, which take about 10 ms to be read: ten times what a laser scan has. */
const MAX_MEMBERS = 100_000;
/** What is judged of a message before the rest is decoded, in bytes: as much as so many members take at least. */
const FIRST_BYTES = 2 * MAX_MEMBERS + 1024;
/** Most bytes that may be queued ahead of a message, so that nothing moves late. */
const MAX_UNSENT_BYTES = 256 * 1024;
const HANDSHAKE_MS = 5_000;
/** How often a sign of life is asked for; a robot that owes two is gone. */
const HEARTBEAT_MS = 1_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 8_000;

/** Called with the events of a connection. */
interface Listener {
  opened(): void;
  received(message: JsonObject): void;
  /** @param onPurpose {@link Connection.reset} or `close` ended it. */
  lost(onPurpose: boolean): void;
}

/**
 * A WebSocket to a rosbridge server that comes back by itself, later each time, at random moments so that a fleet does
 * not come back at once. Nothing is kept for later: what cannot be sent now is refused.
 */
export class Connection {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #listener: Listener;
  readonly #refusals: Refusals | undefined;
  readonly #malformed: MalformedMessages;
  readonly #attempted = new Latch();
  readonly #pongs = new Calls<void>();
  #socket: WebSocket | undefined;
  #tcp: net.Socket | undefined;
  #isReset = false;
  #opened = new Latch();
  #retry: NodeJS.Timeout | undefined;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, MAX_RETRY_MS);
  #closed = false;

  constructor(url: string, logger: Logger, listener: Listener, refusals?: Refusals) {
    this.#url = url;
    this.#logger = logger;
    this.#listener = listener;
    this.#refusals = refusals;
    this.#malformed = new MalformedMessages(logger);
    this.#connect();
  }

  get connected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Resolves when the first attempt has ended, either way. */
  get attempted(): Promise<void> {
    return this.#attempted.wait();
  }

  /** Resolves when there is a connection; rejects with the signal's reason. */
  whenOpen(signal: AbortSignal): Promise<void> {
    this.#forgetOpening();
    return this.#opened.wait(signal);
  }

  /** Sends one message now, or not at all. @throws ServiceError `robot_unavailable` */
  send(message: JsonObject): void {
    const socket = this.#open();
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) {
      throw robotUnavailable(
        'The link to the robot is too slow at the moment; the command was not sent. Send fewer at a time.',
      );
    }
    socket.send(wireText(message));
  }

  /** @throws ServiceError `robot_unavailable` while there is no connection, or anything waits to be sent on it. */
  requireIdle(): void {
    if (this.#open().bufferedAmount === 0) return;
    throw robotUnavailable('The link to the robot is too slow at the moment; the command was not sent.');
  }

  /** As {@link send}, however much is queued ahead of it. */
  sendUrgently(message: JsonObject): void {
    this.#open().send(wireText(message));
  }

  /**
   * Resolves when the server has received everything sent before. Errors: {@link linkBroken}, or the signal's reason.
   */
  async arrived(signal: AbortSignal): Promise<void> {
    const socket = this.#open();
    await this.#pongs.ask((id) => socket.ping(id), signal);
  }

  /** @throws ServiceError `robot_unavailable` while there is no connection. */
  requireOpen(): void {
    this.#open();
  }

  /**
   * Ends this connection and makes a new one at once. What has not reached the server is dropped wherever it is: a
   * reset, other than an orderly end, lets neither this machine nor a proxy deliver it later.
   */
  reset(): void {
    if (!this.connected) return;
    this.#isReset = true;
    this.#tcp?.resetAndDestroy();
    this.#socket?.terminate();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  /** A closing connection does not count as open; its `close` event comes later. */
  #forgetOpening(): void {
    if (this.#opened.isOpen && !this.connected) this.#opened = new Latch();
  }

  #open(): WebSocket {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    throw robotUnavailable(
      'The link to the robot is down; it is restored automatically once the robot can be reached. Nothing was sent.',
    );
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_BYTES,
      perMessageDeflate: false,
      createConnection: (options: tls.ConnectionOptions) => this.#dial(options),
    } as ClientOptions); // as: ws passes every option of http.request on, which its types do not say
    this.#socket = socket;
    let opened = false;
    let heartbeat: NodeJS.Timeout | undefined;
    let silentBeats = 0;
    let stream: net.Socket | undefined;
    const alive = () => {
      silentBeats = 0;
    };
    const beat = () => {
      if (silentBeats >= 2) {
        this.#tcp?.resetAndDestroy();
        return socket.terminate();
      }
      silentBeats += 1;
      // Only a connection that lasts makes the next attempts prompt again.
      this.#backoff.reset();
      socket.ping();
    };
    socket.on('upgrade', (response) => {
      stream = response.socket;
    });
    socket.on('open', () => {
      opened = true;
      if (stream) readInTurns(socket, stream);
      heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
      this.#logger.info({ url: maskUrl(this.#url) }, 'the link to the robot is up');
      this.#listener.opened();
      this.#opened.open();
      this.#attempted.open();
    });
    socket.on('message', (data, isBinary) => {
      alive();
      const message = isBinary ? undefined : this.#parse(data as Buffer); // as: ws gives Buffers unless told otherwise
      if (!message) return this.#malformed.note(data as Buffer); // as: see above
      try {
        this.#listener.received(message);
      } catch (error) {
        // Nothing a robot sends may end the service.
        this.#logger.error({ err: error }, 'handling a message of the robot failed');
      }
    });
    socket.on('pong', (data) => {
      alive();
      this.#pongs.settle(data.toString());
    });
    // `close` follows every error and does the rest.
    socket.on('error', (error) => {
      const level = this.#backoff.failures === 0 && !this.#closed ? 'warn' : 'debug';
      this.#logger[level]({ url: maskUrl(this.#url), reason: error.message }, 'the link to the robot failed');
    });
    socket.on('close', () => {
      clearInterval(heartbeat);
      this.#pongs.failAll(linkBroken());
      const onPurpose = this.#isReset || this.#closed;
      this.#isReset = false;
      if (opened) {
        this.#forgetOpening();
        if (!this.#closed) this.#logger.warn({ url: maskUrl(this.#url), onPurpose }, 'the link to the robot is down');
        this.#listener.lost(onPurpose);
      }
      this.#attempted.open();
      if (this.#closed) return;
      if (onPurpose) this.#connect();
      else this.#retry = setTimeout(() => this.#connect(), this.#backoff.failWithJitter()).unref();
    });
  }

  /** As `ws` would, keeping the TCP socket: a reset needs it, below TLS too. */
  #dial(options: tls.ConnectionOptions): net.Socket {
    const { host = '', port = 0, servername } = options;
    const tcp = net.connect({ host, port });
    this.#tcp = tcp;
    if (!this.#url.toLowerCase().startsWith('wss:')) return tcp;
    // An error of the socket below comes up through TLS as well.
    tcp.on('error', () => undefined);
    return tls.connect({
      ...options,
      path: undefined,
      socket: tcp,
      servername: servername ?? (net.isIP(host) ? '' : host),
    });
  }

  #parse(data: Buffer): JsonObject | undefined {
    // What is nested without end, or has members without end, costs seconds in which nothing else is handled. Most of it
    // shows at the beginning; to decode all of 4 MiB as UTF-8 takes several ms. What makes up the structure is ASCII.
    if (!jsonSizeFault(data.toString('latin1', 0, FIRST_BYTES), MAX_MEMBERS)) {
      const text = data.toString('utf8');
      if (data.length <= FIRST_BYTES || !jsonSizeFault(text, MAX_MEMBERS)) return messageIn(text);
    }
    this.#refusals?.note('bridge_messages', 'Refused a message of the bridge that is too deep or has too many members');
    return undefined;
  }
}
