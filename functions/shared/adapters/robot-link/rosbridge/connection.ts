import net from 'node:net';
import tls from 'node:tls';
import { type ClientOptions, WebSocket } from 'ws';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import { maskUrl } from '../../../mask-url.ts';
import { jsonSizeFault } from '../../../middleware/json-size.ts';
import { Moment } from '../moment.ts';
import { robotUnavailable } from '../robot-unavailable.ts';
import { Calls } from './calls.ts';

/** Largest message that is taken, in bytes; a larger one ends the connection. */
export const MOST_BYTES = 4 * 1024 * 1024;
/** Most bytes that may stand ahead of a message on its way out, so that nothing is moved late. */
const MOST_UNSENT_BYTES = 256 * 1024;
const HANDSHAKE_MS = 5_000;
/** How often a sign of life is asked for; a robot that owes two is gone. */
const HEARTBEAT_MS = 1_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 8_000;
const NEVER = new AbortController().signal;

/** Who hears of what the connection does. */
export interface Listener {
  opened(): void;
  received(message: JsonObject): void;
  /** @param onPurpose {@link Connection.reset} ended it. */
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
  readonly #attempted = new Moment();
  readonly #pongs = new Calls();
  #socket: WebSocket | undefined;
  #tcp: net.Socket | undefined;
  #isReset = false;
  #opened = new Moment();
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(url: string, logger: Logger, listener: Listener) {
    this.#url = url;
    this.#logger = logger;
    this.#listener = listener;
    this.#connect();
  }

  get connected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Resolves when the first attempt has ended, either way. */
  get attempted(): Promise<void> {
    return this.#attempted.wait(NEVER);
  }

  /** Resolves when there is a connection; rejects with the signal's reason. */
  whenOpen(signal: AbortSignal): Promise<void> {
    this.#forgetOpening();
    return this.#opened.wait(signal);
  }

  /** Sends one message now, or not at all. @throws ServiceError `robot_unavailable` */
  send(message: JsonObject): void {
    const socket = this.#open();
    if (socket.bufferedAmount > MOST_UNSENT_BYTES) {
      throw robotUnavailable('The link to the robot is too slow at the moment; the command was not sent.');
    }
    socket.send(wireText(message));
  }

  /** As {@link send}, however much stands ahead of it. */
  sendUrgently(message: JsonObject): void {
    this.#open().send(wireText(message));
  }

  /** Resolves when the server has received everything sent before. Errors: {@link broken}, or the signal's reason. */
  async arrived(signal: AbortSignal): Promise<void> {
    const socket = this.#open();
    await this.#pongs.ask((id) => socket.ping(id), signal, true);
  }

  /** @throws ServiceError `robot_unavailable` while there is no connection. */
  requireOpen(): void {
    this.#open();
  }

  /**
   * Ends this connection and makes a new one at once. What has not reached the server is dropped wherever it stands: a
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

  /** A connection that is about to close is none; its `close` comes later. */
  #forgetOpening(): void {
    if (this.#opened.passed && !this.connected) this.#opened = new Moment();
  }

  #open(): WebSocket {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    throw robotUnavailable(
      'The link to the robot is down; it comes back by itself as soon as the robot can be reached. Nothing was sent.',
    );
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MOST_BYTES,
      perMessageDeflate: false,
      createConnection: (options: tls.ConnectionOptions) => this.#dial(options),
    } as ClientOptions); // as: ws passes every option of http.request on, which its types do not say
    this.#socket = socket;
    let opened = false;
    let heartbeat: NodeJS.Timeout | undefined;
    let silentBeats = 0;
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
      this.#failures = 0;
      socket.ping();
    };
    socket.on('open', () => {
      opened = true;
      heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
      this.#logger.info({ url: maskUrl(this.#url) }, 'the link to the robot is up');
      this.#listener.opened();
      this.#opened.pass();
      this.#attempted.pass();
    });
    socket.on('message', (data, isBinary) => {
      alive();
      const message = isBinary ? undefined : parse(String(data));
      if (!message) return this.#logger.debug('the robot sent what is no rosbridge message; it is ignored');
      try {
        this.#listener.received(message);
      } catch (error) {
        // Nothing a robot sends may end the service.
        this.#logger.error({ err: error }, 'a message of the robot could not be used');
      }
    });
    socket.on('pong', (data) => {
      alive();
      this.#pongs.settle(data.toString(), {});
    });
    // `close` follows every error and does the rest.
    socket.on('error', (error) => {
      const level = this.#failures === 0 && !this.#closed ? 'warn' : 'debug';
      this.#logger[level]({ url: maskUrl(this.#url), reason: error.message }, 'the link to the robot failed');
    });
    socket.on('close', () => {
      clearInterval(heartbeat);
      this.#pongs.fail(broken());
      const onPurpose = this.#isReset;
      this.#isReset = false;
      if (opened) {
        this.#forgetOpening();
        if (!this.#closed) this.#logger.warn({ url: maskUrl(this.#url), onPurpose }, 'the link to the robot is down');
        this.#listener.lost(onPurpose);
      }
      this.#attempted.pass();
      if (this.#closed) return;
      if (onPurpose) this.#connect();
      else this.#retryLater();
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

  #retryLater(): void {
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#connect(), longest * (0.5 + Math.random() / 2)).unref();
  }
}

/** What everybody hears who waits for an answer when the connection is lost. */
export function broken(): ServiceError {
  return robotUnavailable(
    'The link to the robot broke before it answered. What was sent may have been carried out, and may still be.',
  );
}

/** @throws ServiceError for a number that JSON would turn into null: nobody knows what a robot makes of that. */
function wireText(message: JsonObject): string {
  return JSON.stringify(message, (_key, value: JsonValue) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    throw new ServiceError('validation_failed', { detail: 'A number is too large to be sent; nothing was sent.' });
  });
}

function parse(text: string): JsonObject | undefined {
  // What is nested without end costs seconds in which nothing else is heard.
  if (jsonSizeFault(text, Number.POSITIVE_INFINITY)) return undefined;
  try {
    const message: unknown = JSON.parse(text);
    const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
    return isObject && 'op' in message && typeof message.op === 'string' ? (message as JsonObject) : undefined; // as: it came out of JSON.parse
  } catch {
    return undefined;
  }
}
