import type { WebSocket } from 'ws';
import type { AccessLevel, Caller } from '../../functions/shared/access.ts';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { ClientMessage } from '../../functions/shared/events/messages.schema.ts';
import { StreamToken } from '../../functions/shared/identity/stream-token.ts';
import type { Tokens } from '../../functions/shared/identity/tokens.ts';
import { asServiceError } from '../../functions/shared/pipeline/render-error.ts';
import { readClientMessage } from './client-message.ts';
import { CLOSE } from './close-codes.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { type JogFrames, jogFrameIn } from './jog-frames.ts';
import { Liveness } from './liveness.ts';
import { OutgoingMessages } from './outgoing-messages.ts';
import type { OpenEvents } from './robot-events.ts';
import { Subscriptions } from './subscriptions.ts';

/** A client with more unread bytes than this gets no more answers to jog frames, and is disconnected. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export interface WebSocketParts {
  readonly socket: WebSocket;
  readonly streams: EventStreams;
  readonly tokens: Tokens;
  /** Whom the listener vouches for: over the Unix socket nobody has to show a token. */
  readonly local?: Caller | undefined;
  /** The token of the handshake. */
  readonly token?: StreamToken | undefined;
  readonly jogFrames: JogFrames;
  /** The events of the path, if the caller was authenticated in the handshake. */
  readonly opened?: OpenEvents | undefined;
  /** Opens them for the holder of a token of this key. @throws ServiceError. */
  readonly open: (keyId: string) => Promise<OpenEvents>;
  /** The prefix for paths in errors. */
  readonly prefix: string;
  readonly onAuthenticated: (caller: Caller) => void;
  readonly onClosed: (code: number) => void;
}

/** One WebSocket: authenticates its client, takes its subscriptions and sends what they bring. */
export class WebSocketConnection implements EventStream {
  readonly #parts: WebSocketParts;
  readonly #socket: WebSocket;
  readonly #outgoing: OutgoingMessages;
  #opened: OpenEvents | undefined;
  #subscriptions: Subscriptions | undefined;
  readonly #liveness: Liveness;
  /** Times of silence count on a clock that nobody sets. */
  readonly #openedAt: number;
  #caller: Caller | undefined;
  #token: StreamToken | undefined;
  #toldExpiry = false;
  #releasePlace: (() => void) | undefined;
  /** Messages are worked off one after the other: a token takes a while to verify. */
  #work: Promise<void> = Promise.resolve();

  constructor(parts: WebSocketParts) {
    const { socket, streams, prefix, local, token, opened } = parts;
    this.#parts = parts;
    this.#socket = socket;
    this.#openedAt = performance.now();
    this.#liveness = new Liveness(socket, streams.limits);
    this.#outgoing = new OutgoingMessages({
      socket,
      streams,
      prefix,
      onOverflow: () => this.#close(CLOSE.tooSlow, 'too slow; reconnect, and subscribe with "after"'),
    });
    const remove = streams.add(this, 'websocket');
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary)); // as: binaryType is nodebuffer
    socket.on('ping', () => this.#hear());
    socket.on('pong', () => this.#hear());
    socket.on('error', () => undefined); // 'close' follows, with the code
    socket.on('close', (code) => {
      remove();
      this.#end();
      parts.onClosed(code);
    });
    if (opened) this.#take(opened);
    if (token) this.#admit(token.caller, token);
    else if (local) this.#admit(local, undefined);
  }

  check(now: number): void {
    this.#checkSilence();
    if (this.#token) this.#checkToken(this.#token, now);
  }

  #checkSilence(): void {
    const { authenticateMs } = this.#parts.streams.limits;
    if (!this.#caller) {
      if (performance.now() - this.#openedAt >= authenticateMs) this.#close(CLOSE.silent, 'no token arrived in time');
    } else if (!this.#liveness.check()) this.#close(CLOSE.silent, 'no answer to a ping');
  }

  endForRestart(): void {
    this.#outgoing.flush();
    this.#close(CLOSE.restart, 'the service restarts');
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #checkToken(token: StreamToken, now: number): void {
    if (!this.#toldExpiry && token.expiresAt - now <= this.#parts.streams.limits.expiryNoticeMs) {
      this.#toldExpiry = true;
      this.#outgoing.post({ type: 'token_expiring', expires_at: new Date(token.expiresAt).toISOString() });
    }
    token.check().catch((error: unknown) => {
      if (this.#token === token) this.#closeFor(asServiceError(error));
    });
  }

  /** False when the client sends more than it may. */
  #hear(isJog = false): boolean {
    if (this.#liveness.hear(isJog)) return true;
    const { framesPerSecond, jogFramesPerSecond } = this.#parts.streams.limits;
    const allowed = isJog ? `${jogFramesPerSecond} jog frames` : `${framesPerSecond} frames`;
    this.#close(CLOSE.tooManyFrames, `more than ${allowed} a second`);
    return false;
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const frame = jogFrameIn(data, isBinary);
    if (!this.#hear(frame !== undefined) || !this.#isOpen) return;
    const arrivedAt = arrivalStamp();
    if (frame && this.#caller) {
      this.#jog(frame, this.#caller, arrivedAt);
      return;
    }
    const work = () =>
      frame ? this.#jog(frame, this.#authenticated(), arrivedAt) : this.#handle(readClientMessage(data, isBinary));
    this.#work = this.#work
      .then(() => (this.#isOpen ? work() : undefined))
      .catch((error: unknown) => {
        const { code, message } = asServiceError(error);
        this.#outgoing.post({ type: 'error', code, detail: message });
      });
  }

  #handle(message: ClientMessage): void | Promise<void> {
    if (message.type === 'ping') return this.#outgoing.post({ type: 'pong' });
    if (message.type === 'authenticate') return this.#authenticate(message.token);
    const level = this.#level();
    if (message.type === 'subscribe') return this.#subscriptions?.add(message.topics, level, message.after);
    return this.#subscriptions?.remove(message.topics);
  }

  /** Answers immediately, ahead of waiting events: a frame is only useful for a moment. */
  #jog(frame: object | string, caller: Caller, arrivedAt: number): void {
    const { jogFrames } = this.#parts;
    try {
      this.#token?.checkNow();
      this.#outgoing.sendNow(jogFrames.take(frame, caller, arrivedAt));
    } catch (error) {
      this.#closeFor(asServiceError(error));
    }
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) this.#close(CLOSE.tooSlow, 'too slow');
  }

  async #authenticate(text: string): Promise<void> {
    const { tokens } = this.#parts;
    let token: StreamToken;
    try {
      token = await StreamToken.accept(tokens, text);
      if (!this.#opened) this.#take(await this.#parts.open(token.caller.keyId));
    } catch (error) {
      if (!this.#caller) return this.#closeFor(asServiceError(error));
      throw error;
    }
    if (this.#caller && this.#caller.clientId !== token.caller.clientId) {
      throw new ServiceError('token_invalid', {
        detail: 'This connection belongs to another client id. Refresh its own token, or open another connection.',
      });
    }
    if (this.#isOpen) this.#admit(token.caller, token);
  }

  #take(opened: OpenEvents): void {
    this.#opened = opened;
    this.#subscriptions = new Subscriptions(opened.hub, this.#outgoing.mailbox);
    if (!this.#isOpen) this.#end();
  }

  #admit(caller: Caller, token: StreamToken | undefined): void {
    const { streams, onAuthenticated } = this.#parts;
    try {
      this.#releasePlace ??= streams.takePlace(caller.keyId);
    } catch (error) {
      const { code, message } = asServiceError(error);
      this.#outgoing.sendNow({ type: 'error', code, detail: message });
      this.#close(CLOSE.tooSlow, 'too many connections of this key');
      return;
    }
    this.#caller = caller;
    this.#token = token;
    this.#toldExpiry = false;
    const expires_at = token ? new Date(token.expiresAt).toISOString() : null;
    this.#outgoing.post({ type: 'authenticated', expires_at, access_level: caller.accessLevel });
    onAuthenticated(caller);
  }

  #level(): AccessLevel {
    return this.#authenticated().accessLevel;
  }

  #authenticated(): Caller {
    if (this.#caller) return this.#caller;
    throw new ServiceError('missing_token', {
      detail: 'Send {"type":"authenticate","token":"…"} first. GET /api/v2/auth/ trades an API key for a token.',
    });
  }

  #closeFor({ code, message }: ServiceError): void {
    this.#outgoing.sendNow({ type: 'error', code, detail: message });
    this.#close(code === 'key_revoked' ? CLOSE.keyRevoked : CLOSE.tokenEnded, code);
  }

  /** A client that does not answer the closing handshake is disconnected by `closeTimeout` of the server. */
  #close(code: number, reason: string): void {
    this.#end();
    if (this.#isOpen) this.#socket.close(code, reason);
  }

  #end(): void {
    this.#parts.jogFrames.close();
    this.#subscriptions?.clear();
    this.#opened?.release();
    this.#opened = undefined;
    this.#outgoing.close();
    this.#token = undefined;
    this.#releasePlace?.();
    this.#releasePlace = undefined;
  }
}
