import type { WebSocket } from 'ws';
import type { Caller } from '../../../functions/shared/access.ts';
import { ServiceError } from '../../../functions/shared/errors.ts';
import { MAILBOX_LIMITS, type Mail, Mailbox } from '../../../functions/shared/events/mailbox.ts';
import { MAX_TOPICS } from '../../../functions/shared/events/messages.schema.ts';
import { Fifo } from '../../../functions/shared/kit/fifo.ts';
import type { Logger } from '../../../functions/shared/observability/logger.ts';
import { asServiceError } from '../../../functions/shared/pipeline/render-error.ts';
import { CLOSE } from '../close-codes.ts';
import type { EventStream, EventStreams } from '../event-streams.ts';
import { Liveness } from '../liveness.ts';
import { HIGH_WATER_BYTES } from '../outgoing-messages.ts';
import {
  type Action,
  frameOfEvent,
  frameOfSnapshot,
  isFrameOf,
  isHubTopic,
  isRated,
  MAX_FRAME_BYTES,
  mayPublish,
  readAction,
} from './dialect-messages.ts';
import type { RatedTopics } from './rated-topics.ts';
import type { Listener, TopicBoard } from './topic-board.ts';

export interface DialectParts {
  readonly socket: WebSocket;
  readonly caller: Caller;
  readonly streams: EventStreams;
  readonly board: TopicBoard;
  readonly rated: RatedTopics;
  readonly logger: Logger;
  readonly onClosed: (code: number) => void;
}

/**
 * One client of port 8001. It is sent frames of its topics and nothing else: what it may not do, or says wrongly, is
 * ignored and counted.
 */
export class DialectConnection implements EventStream, Listener {
  readonly #parts: DialectParts;
  readonly #socket: WebSocket;
  readonly #mailbox: Mailbox;
  readonly #frames = new Fifo<string>();
  /** By topic. */
  readonly #latest = new Map<string, string>();
  readonly #topics = new Set<string>();
  readonly #liveness: Liveness;
  readonly #pump = () => this.#send();
  #waitingChars = 0;

  constructor(parts: DialectParts) {
    const { socket, streams } = parts;
    this.#parts = parts;
    this.#socket = socket;
    this.#liveness = new Liveness(socket, streams.limits);
    this.#mailbox = new Mailbox({
      onMail: () => streams.turns.request(this.#pump),
      onOverflow: () => this.#overflow(),
      onCoalesced: () => streams.metrics.eventsDropped('coalesced'),
    });
    const remove = streams.add(this, 'dialect');
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary)); // as: binaryType is nodebuffer
    socket.on('ping', () => this.#hear());
    socket.on('pong', () => this.#hear());
    socket.on('error', () => undefined); // 'close' follows, with the code
    socket.on('close', (code) => {
      remove();
      this.#end();
      parts.onClosed(code);
    });
  }

  check(): void {
    if (!this.#liveness.check()) this.#close(CLOSE.silent, 'no answer to a ping');
    const { streams, caller } = this.#parts;
    const token = streams.newestTokens.of(caller.clientId);
    token?.check().catch((error: unknown) => {
      if (streams.newestTokens.of(caller.clientId) !== token) return; // a newer one was given out meanwhile
      const { code } = asServiceError(error);
      this.#close(code === 'key_revoked' ? CLOSE.keyRevoked : CLOSE.tokenEnded, code);
    });
  }

  endForRestart(): void {
    this.#send();
    this.#close(CLOSE.restart, 'the service restarts');
  }

  deliver(frame: string): void {
    this.#frames.push(frame);
    this.#waitingChars += frame.length;
    const { messages, characters } = MAILBOX_LIMITS;
    if (this.#frames.length > messages || this.#waitingChars > characters) this.#overflow();
    else this.#parts.streams.turns.request(this.#pump);
  }

  deliverLatest(topic: string, frame: string): void {
    const { metrics, turns } = this.#parts.streams;
    if (this.#latest.has(topic)) metrics.eventsDropped('coalesced');
    this.#latest.set(topic, frame);
    turns.request(this.#pump);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get #hasMore(): boolean {
    return this.#frames.length > 0 || this.#latest.size > 0 || !this.#mailbox.isEmpty;
  }

  /** False when the client sends more than it may. */
  #hear(): boolean {
    if (this.#liveness.hear()) return true;
    this.#close(CLOSE.tooManyFrames, `more than ${this.#parts.streams.limits.framesPerSecond} frames a second`);
    return false;
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#hear() || !this.#isOpen) return;
    try {
      const action = readAction(data, isBinary);
      if (!action || !this.#work(action)) this.#parts.streams.metrics.eventsDropped('ignored');
    } catch (error) {
      this.#parts.logger.error({ err: error }, 'a frame on the events port failed');
      this.#close(CLOSE.internalError, 'internal error');
    }
  }

  /** False for what is ignored. */
  #work(action: Action): boolean {
    if (action.action === 'subscribe') return this.#subscribe(action.topic);
    if (action.action === 'unsubscribe') return this.#unsubscribe(action.topic);
    return this.#publish(action.topic, action.data);
  }

  #subscribe(topic: string): boolean {
    const { board, rated, streams, caller } = this.#parts;
    if (this.#topics.has(topic)) return true;
    if (this.#topics.size >= MAX_TOPICS) return false;
    if (isHubTopic(topic)) {
      try {
        streams.hub.subscribe(this.#mailbox, [streams.hub.channel(topic, caller.accessLevel)]);
      } catch (error) {
        if (error instanceof ServiceError) return false; // unknown, or above the level of the caller
        throw error;
      }
    }
    board.subscribe(topic, this);
    this.#topics.add(topic);
    if (isRated(topic)) rated.joined(topic);
    return true;
  }

  #unsubscribe(topic: string): boolean {
    if (!this.#topics.delete(topic)) return false;
    this.#parts.board.unsubscribe(topic, this);
    this.#latest.delete(topic);
    if (isHubTopic(topic)) this.#parts.streams.hub.unsubscribe(this.#mailbox, topic);
    return true;
  }

  #publish(topic: string, frame: string): boolean {
    const { board, caller } = this.#parts;
    if (!mayPublish(topic, caller.accessLevel) || !isFrameOf(topic, frame)) return false;
    board.publish(topic, frame);
    return true;
  }

  /** Sends what waits, as far as the connection takes it. */
  #send(): void {
    let sent = 0;
    while (this.#isOpen && this.#socket.bufferedAmount < HIGH_WATER_BYTES) {
      const frame = this.#next();
      if (frame === undefined) break;
      sent += 1;
      this.#socket.send(frame, () => {
        if (this.#hasMore) this.#parts.streams.turns.request(this.#pump);
      });
    }
    if (sent > 0) this.#parts.streams.metrics.eventsSent('dialect', sent);
  }

  #next(): string | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined) {
      this.#waitingChars -= frame.length;
      return frame;
    }
    for (const [topic, latest] of this.#latest) {
      this.#latest.delete(topic);
      return latest;
    }
    for (let mail = this.#mailbox.take(); mail; mail = this.#mailbox.take()) {
      const text = this.#frameOf(mail);
      if (text === undefined) continue;
      if (Buffer.byteLength(text) <= MAX_FRAME_BYTES) return text;
      this.#parts.streams.metrics.eventsDropped('ignored');
    }
    return undefined;
  }

  /** Undefined if this dialect has no equivalent. */
  #frameOf(mail: Mail): string | undefined {
    if ('event' in mail) return frameOfEvent(mail.event.channel, mail.event.json);
    const { notice, position } = mail;
    const { hub, clock } = this.#parts.streams;
    if (notice.type === 'error' && notice.topic !== undefined) this.#unsubscribe(notice.topic); // so that it can subscribe again
    if (notice.type !== 'snapshot' || notice.data === null || position === undefined) return undefined;
    return frameOfSnapshot(notice.topic, notice.data, { source: hub.source, position, at: clock() });
  }

  #overflow(): void {
    this.#parts.streams.metrics.eventsDropped('overflow');
    this.#close(CLOSE.tooSlow, 'too slow');
  }

  /** A client that does not answer the closing handshake is disconnected by `closeTimeout` of the server. */
  #close(code: number, reason: string): void {
    this.#end();
    if (this.#isOpen) this.#socket.close(code, reason);
  }

  #end(): void {
    for (const topic of [...this.#topics]) this.#unsubscribe(topic);
    this.#mailbox.close();
    this.#frames.clear();
    this.#latest.clear();
    this.#waitingChars = 0;
  }
}
