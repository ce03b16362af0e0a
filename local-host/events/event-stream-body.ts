import { Readable } from 'node:stream';
import type { EventHub } from '../../functions/shared/events/hub.ts';
import { type Mail, Mailbox } from '../../functions/shared/events/mailbox.ts';
import type { StreamToken } from '../../functions/shared/identity/stream-token.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { Subscriptions } from './subscriptions.ts';

export interface EventStreamOptions {
  readonly streams: EventStreams;
  readonly hub: EventHub;
  readonly token: StreamToken;
  readonly topics: readonly string[];
  readonly after: string | undefined;
  /** Aborts when the client has gone or the service is about to end. */
  readonly signal: AbortSignal;
}

/**
 * Events as a server-sent stream (WHATWG HTML, section 9.2). CloudEvents come as plain messages with their id;
 * `snapshot`, `gap` and `error` are named. A comment keeps the connection alive, and another one says why the stream
 * ends, after which the client reconnects with `Last-Event-ID`.
 */
export class EventStreamBody extends Readable implements EventStream {
  readonly #streams: EventStreams;
  readonly #token: StreamToken;
  readonly #mailbox: Mailbox;
  readonly #subscriptions: Subscriptions;
  readonly #pump = () => this.#fill();
  readonly #release: () => void;
  readonly #remove: () => void;
  #wanted = false;
  #ended = false;
  #sentAt: number;

  /** @throws ServiceError `busy` when the key receives events over too many connections. */
  constructor({ streams, hub, token, topics, after, signal }: EventStreamOptions) {
    super({ highWaterMark: 64 * 1024 });
    this.#streams = streams;
    this.#token = token;
    this.#release = streams.takePlace(token.caller.keyId);
    this.#remove = streams.add(this, 'sse');
    this.#mailbox = new Mailbox({
      onMail: () => streams.turns.request(this.#pump),
      onOverflow: () => {
        streams.metrics.eventsDropped('overflow');
        this.#finish('too slow');
      },
      onCoalesced: () => streams.metrics.eventsDropped('coalesced'),
    });
    this.#subscriptions = new Subscriptions(hub, this.#mailbox);
    this.#sentAt = performance.now();
    this.push(': events follow\n\n');
    this.#subscriptions.add(topics, token.caller.accessLevel, after);
    const onAbort = () => this.endForRestart();
    signal.addEventListener('abort', onAbort, { once: true });
    this.once('close', () => signal.removeEventListener('abort', onAbort));
  }

  check(): void {
    const idleMs = performance.now() - this.#sentAt;
    if (idleMs >= this.#streams.limits.commentMs && this.#wanted && !this.#ended) {
      this.#sentAt = performance.now();
      this.#wanted = this.push(':\n\n');
    }
    this.#token.check().catch(() => this.#finish('the token has ended'));
  }

  endForRestart(): void {
    this.#fill();
    this.#finish('the service restarts');
  }

  override _read(): void {
    this.#wanted = true;
    this.#fill();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#end();
    done(error);
  }

  #fill(): void {
    let events = 0;
    while (this.#wanted && !this.#ended) {
      const mail = this.#mailbox.take();
      if (!mail) break;
      if ('event' in mail) events += 1;
      this.#sentAt = performance.now();
      this.#wanted = this.push(rendered(mail));
    }
    if (events > 0) this.#streams.metrics.eventsSent('sse', events);
  }

  #finish(why: string): void {
    if (this.#ended) return;
    this.#end();
    this.push(`: ${why}\n\n`);
    this.push(null);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#subscriptions.clear();
    this.#mailbox.close();
    this.#release();
    this.#remove();
  }
}

function rendered(mail: Mail): string {
  if ('event' in mail) return `id: ${mail.event.id}\ndata: ${mail.event.json}\n\n`;
  const { type, ...data } = mail.notice;
  const id = mail.position === undefined ? '' : `id: ${mail.position}\n`;
  return `${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
