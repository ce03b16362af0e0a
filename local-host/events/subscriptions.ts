import type { AccessLevel } from '../../functions/shared/access.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { EventHub } from '../../functions/shared/events/hub.ts';
import type { Mailbox } from '../../functions/shared/events/mailbox.ts';
import { MAX_TOPICS } from '../../functions/shared/events/messages.schema.ts';
import type { Channel } from '../../functions/shared/events/topics.ts';

/** What one connection has subscribed to. */
export class Subscriptions {
  readonly #hub: EventHub;
  readonly #mailbox: Mailbox;
  readonly #names = new Set<string>();

  constructor(hub: EventHub, mailbox: Mailbox) {
    this.#hub = hub;
    this.#mailbox = mailbox;
  }

  /** Subscribes to the topics that the level allows; an `error` names each of the others. */
  add(names: readonly string[], level: AccessLevel, after?: string): void {
    const channels: Channel[] = [];
    for (const name of new Set(names)) {
      try {
        channels.push(this.#admit(name, level, channels.length));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        this.#mailbox.post({ type: 'error', code: error.code, detail: error.message, topic: name });
      }
    }
    if (channels.length === 0) return;
    this.#hub.subscribe(this.#mailbox, channels, after);
    for (const { name } of channels) this.#names.add(name);
  }

  remove(names: readonly string[]): void {
    for (const name of names) {
      if (this.#names.delete(name)) this.#hub.unsubscribe(this.#mailbox, name);
    }
  }

  clear(): void {
    this.remove([...this.#names]);
  }

  #admit(name: string, level: AccessLevel, added: number): Channel {
    const channel = this.#hub.channel(name, level);
    if (!this.#names.has(name) && this.#names.size + added >= MAX_TOPICS) {
      throw new ServiceError('validation_failed', {
        detail: `A connection may subscribe to ${MAX_TOPICS} topics. Unsubscribe from some, or open another one.`,
      });
    }
    return channel;
  }
}
