import type { WebSocket } from 'ws';
import { Mailbox } from '../../functions/shared/events/mailbox.ts';
import type { ServerMessage } from '../../functions/shared/events/messages.schema.ts';
import { withPrefix } from '../../functions/shared/pipeline/public-path.ts';
import type { EventStreams } from './event-streams.ts';

/** Bytes that may wait in a connection before the next message is taken from the mailbox. */
export const HIGH_WATER_BYTES = 64 * 1024;

interface Parts {
  readonly socket: WebSocket;
  readonly streams: EventStreams;
  /** What the client has to write before the paths that errors name. */
  readonly prefix: string;
  /** More waits than may. */
  readonly onOverflow: () => void;
}

/** What one WebSocket is sent: events and messages in their order, as fast as its client reads them. */
export class OutgoingMessages {
  /** Where events arrive. */
  readonly mailbox: Mailbox;
  readonly #parts: Parts;
  readonly #pump = () => this.flush();

  constructor(parts: Parts) {
    const { streams, onOverflow } = parts;
    this.#parts = parts;
    this.mailbox = new Mailbox({
      onMail: () => streams.turns.request(this.#pump),
      onOverflow: () => {
        streams.metrics.eventsDropped('overflow');
        onOverflow();
      },
      onCoalesced: () => streams.metrics.eventsDropped('coalesced'),
    });
  }

  /** Sends a message after all that wait. */
  post(message: ServerMessage): void {
    this.mailbox.post(message);
  }

  /** Sends a message ahead of all that wait. */
  sendNow(message: ServerMessage): void {
    if (this.#isOpen) this.#parts.socket.send(this.#textOf(message));
  }

  /** Sends what waits, as far as the connection takes it. */
  flush(): void {
    const { socket, streams } = this.#parts;
    let events = 0;
    while (this.#isOpen && socket.bufferedAmount < HIGH_WATER_BYTES) {
      const mail = this.mailbox.take();
      if (!mail) break;
      if ('event' in mail) events += 1;
      const text = 'event' in mail ? `{"type":"event","event":${mail.event.json}}` : this.#textOf(mail.notice);
      socket.send(text, () => {
        if (!this.mailbox.isEmpty) streams.turns.request(this.#pump);
      });
    }
    if (events > 0) streams.metrics.eventsSent('websocket', events);
  }

  /** Drops what waits. */
  close(): void {
    this.mailbox.close();
  }

  get #isOpen(): boolean {
    const { socket } = this.#parts;
    return socket.readyState === socket.OPEN;
  }

  #textOf(message: ServerMessage): string {
    if (message.type !== 'error') return JSON.stringify(message);
    return JSON.stringify({ ...message, detail: withPrefix(message.detail, this.#parts.prefix) });
  }
}
