import { AuthError, badAnswer, connectionLost, errorFromProblem, isObject, Unavailable } from './errors.ts';
import type { Session } from './session.ts';
import { backgroundTimer } from './time.ts';
import type { Token } from './token.ts';

/** The part of a WebSocket that is needed: of browsers, of Node 22 and newer, and of the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

export type ServerMessage = Record<string, unknown>;

const OPEN = 1;
const OPEN_TIMEOUT_MS = 10_000;
const PING_MS = 10_000;
/** Two pings without an answer. */
const SILENCE_MS = 25_000;

/** An authenticated WebSocket to the service, which stays authenticated as the session refreshes its token. */
export class ServiceSocket {
  /** Called with each message. */
  onMessage: (message: ServerMessage) => void = () => undefined;
  /** Called once, when it has ended, with what ended it. */
  onEnd: (error: Error) => void = () => undefined;
  readonly #session: Session;
  readonly #socket: WebSocketLike;
  readonly #reauthenticate = ({ token }: Token) => this.send({ type: 'authenticate', token });
  readonly #abort = () => this.#end(new Unavailable(null, 'closed', 'This client is closed.', 'no'));
  #heardAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last error that the service has sent; it says why it closes the connection. */
  #lastError: ServerMessage | undefined;
  #ended = false;

  private constructor(session: Session, socket: WebSocketLike) {
    this.#session = session;
    this.#socket = socket;
  }

  /** Resolves once the service has accepted the token. @throws AuthError, Unavailable. */
  static async open(session: Session, WebSocket: WebSocketConstructor): Promise<ServiceSocket> {
    return session.withValidToken(() => {
      const url = session.url('/api/v2/events');
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      return new ServiceSocket(session, new WebSocket(url.href)).#begin();
    });
  }

  /** False if it has ended. */
  send(message: object): boolean {
    if (this.#ended || this.#socket.readyState !== OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.#end(connectionLost());
  }

  #begin(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.onEnd = reject;
      this.onMessage = (message) => {
        if (message.type !== 'authenticated') return;
        this.#session.tokenListeners.add(this.#reauthenticate);
        this.#keepAlive();
        resolve(this);
      };
      this.#timer = setTimeout(() => {
        this.#end(new Unavailable(null, 'timeout', 'The service has not accepted the WebSocket in time.', 'no'));
      }, OPEN_TIMEOUT_MS);
      this.#session.closed.addEventListener('abort', this.#abort);
      if (this.#session.closed.aborted) this.#abort();
      this.#socket.addEventListener('open', () => {
        this.send({ type: 'authenticate', token: this.#session.token?.token ?? '' });
      });
      this.#socket.addEventListener('message', ({ data }) => this.#receive(data));
      this.#socket.addEventListener('error', () => undefined); // a close follows
      this.#socket.addEventListener('close', ({ code }) => this.#end(this.#errorOf(code)));
    });
  }

  #receive(data: unknown): void {
    if (this.#ended) return;
    this.#heardAt = performance.now();
    let message: unknown;
    try {
      message = JSON.parse(String(data));
    } catch {
      message = undefined;
    }
    if (isObject(message)) {
      if (message.type === 'error') this.#lastError = message;
      this.onMessage(message);
    } else this.#end(badAnswer('a message that is no object'));
  }

  #keepAlive(): void {
    clearTimeout(this.#timer);
    this.#timer = backgroundTimer(() => {
      if (performance.now() - this.#heardAt > SILENCE_MS) this.#end(connectionLost());
      else {
        this.send({ type: 'ping' });
        this.#keepAlive();
      }
    }, PING_MS);
  }

  #errorOf(code: number): Error {
    if (code === 4401 || code === 4403) {
      const said = errorFromProblem(null, this.#lastError);
      return said instanceof AuthError
        ? said
        : new AuthError(null, code === 4403 ? 'key_revoked' : 'token_expired', 'The token is no longer valid.');
    }
    return connectionLost();
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#session.tokenListeners.delete(this.#reauthenticate);
    this.#session.closed.removeEventListener('abort', this.#abort);
    try {
      this.#socket.close();
    } catch {
      // It has not been open.
    }
    this.onEnd(error);
  }
}
