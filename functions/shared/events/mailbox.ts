import { Fifo } from '../kit/fifo.ts';
import type { HubEvent } from './hub-event.ts';
import type { ServerMessage } from './messages.schema.ts';

export type Mail =
  | { readonly event: HubEvent }
  /** `position`: whoever has read this snapshot has seen everything up to that event. */
  | { readonly notice: ServerMessage; readonly position?: string };

export interface MailboxLimits {
  /** Ordered messages that may wait. */
  readonly messages: number;
  readonly characters: number;
  /** Events that may wait because they are replayed. */
  readonly replayed: number;
}

export const MAILBOX_LIMITS: MailboxLimits = { messages: 1024, characters: 1024 * 1024, replayed: 20_000 };

export interface MailboxOwner {
  /** There is something to take. Called once for each message. */
  readonly onMail: () => void;
  /** Too much waited; nothing more will come. */
  readonly onOverflow: () => void;
  /** A waiting event was replaced by a newer one. */
  readonly onCoalesced?: () => void;
}

interface Waiting {
  readonly mail: Mail;
  readonly size: number;
  /** Replayed events do not count: they wait in the history anyway. */
  readonly counted: boolean;
}

/**
 * What waits for one consumer. Of a latest-wins channel only the newest event waits; all other messages wait in their
 * order, and too many of them close the mailbox. Event numbers never decrease, so that the last one a consumer has seen
 * tells what it has missed.
 */
export class Mailbox {
  readonly #owner: MailboxOwner;
  readonly #limits: MailboxLimits;
  readonly #ordered = new Fifo<Waiting>();
  readonly #latest = new Map<string, HubEvent>();
  #counted = 0;
  #characters = 0;
  #closed = false;

  constructor(owner: MailboxOwner, limits: MailboxLimits = MAILBOX_LIMITS) {
    this.#owner = owner;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#ordered.length === 0 && this.#latest.size === 0;
  }

  /** Takes in an event that has just happened. */
  offer(event: HubEvent): void {
    if (this.#closed) return;
    if (!event.latest) {
      this.#enqueue({ mail: { event }, size: event.json.length, counted: true });
      return;
    }
    if (this.#latest.has(event.channel)) this.#owner.onCoalesced?.();
    this.#latest.set(event.channel, event);
    this.#owner.onMail();
  }

  /** Takes in an event from the history. */
  replay(event: HubEvent): void {
    if (this.#closed) return;
    if (this.#ordered.length - this.#counted < this.#limits.replayed) {
      this.#enqueue({ mail: { event }, size: 0, counted: false });
    } else this.#overflow();
  }

  post(notice: ServerMessage, position?: string): void {
    if (this.#closed) return;
    const size = notice.type === 'snapshot' ? JSON.stringify(notice).length : 128;
    this.#enqueue({ mail: { notice, ...(position === undefined ? {} : { position }) }, size, counted: true });
  }

  /** The next message, which then no longer waits. */
  take(): Mail | undefined {
    const first = this.#ordered.first;
    const latest = oldest(this.#latest);
    if (latest && (!first || ('event' in first.mail && latest.n < first.mail.event.n))) {
      this.#latest.delete(latest.channel);
      return { event: latest };
    }
    if (!first) return undefined;
    this.#ordered.shift();
    this.#characters -= first.size;
    if (first.counted) this.#counted -= 1;
    return first.mail;
  }

  /** Drops the event of a latest-wins channel that waits. */
  dropLatest(channel: string): void {
    this.#latest.delete(channel);
  }

  close(): void {
    this.#closed = true;
    this.#ordered.clear();
    this.#latest.clear();
  }

  #enqueue(waiting: Waiting): void {
    this.#ordered.push(waiting);
    this.#characters += waiting.size;
    if (waiting.counted) this.#counted += 1;
    if (this.#counted > this.#limits.messages || this.#characters > this.#limits.characters) this.#overflow();
    else this.#owner.onMail();
  }

  #overflow(): void {
    this.close();
    this.#owner.onOverflow();
  }
}

function oldest(events: ReadonlyMap<string, HubEvent>): HubEvent | undefined {
  let found: HubEvent | undefined;
  for (const event of events.values()) if (!found || event.n < found.n) found = event;
  return found;
}
