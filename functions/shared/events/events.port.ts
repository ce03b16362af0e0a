import type { Caller } from '../access.ts';
import type { EventActor } from './data.schema.ts';
import type { DataOf, TopicName, Verb } from './topics.ts';

export interface PublishOptions {
  /** What the event is about: the id of a mission, `system/unit` of a log entry. */
  readonly subject?: string;
}

/** Where the parts of the service publish events. */
export interface Events {
  /** Tells it to whoever has subscribed. Never throws. `data` must not be changed afterwards. */
  publish<T extends TopicName, V extends Verb<T>>(
    topic: T,
    verb: V,
    data: DataOf<T, V>,
    options?: PublishOptions,
  ): void;
}

/** Nobody listens: in cloud functions, and in unit tests. */
export const NO_EVENTS: Events = { publish() {} };

/** How events name a caller to anybody. */
export function actorOf({ clientId, keyId }: Pick<Caller, 'clientId' | 'keyId'>): EventActor {
  return { client: shortClientId(clientId), key_id: keyId };
}

/** Enough to recognize oneself, not enough to pass for somebody else. */
export function shortClientId(clientId: string): string {
  return clientId.slice(0, 8);
}
