import { randomBytes } from 'node:crypto';
import type { AccessLevel } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { Events, PublishOptions } from './events.port.ts';
import { type Feed, Feeds } from './feeds.ts';
import { History, type HistoryLimits } from './history.ts';
import { HubEvent, type Run } from './hub-event.ts';
import type { Mailbox } from './mailbox.ts';
import { newSnapshots } from './snapshots.ts';
import { type Channel, channelNamed, type DataOf, specOf, type TopicName, type Verb } from './topics.ts';

export interface HubParts {
  /** CloudEvents `source`: `/robots/robot-1`. */
  readonly source: string;
  /** Now, in ms since the epoch. */
  readonly clock: () => number;
  readonly history?: HistoryLimits;
  /** Distinguishes this run of the service from every other one. */
  readonly boot?: string;
}

/** Brings what happens to those who have subscribed. Events are numbered `<boot>-<n>` in the order they happen. */
export class EventHub implements Events {
  readonly #run: Run;
  readonly #clock: () => number;
  readonly #history: History;
  readonly #snapshots = newSnapshots();
  readonly #feeds: Feeds;
  readonly #subscribers = new Map<string, Set<Mailbox>>();
  readonly #observers = new Map<TopicName, Set<(event: HubEvent) => void>>();
  #n = 0;

  constructor({ source, clock, history, boot = randomBytes(6).toString('hex') }: HubParts) {
    this.#run = { source, boot };
    this.#clock = clock;
    this.#history = new History(history);
    this.#feeds = new Feeds((channel) => this.#history.forget(channel));
  }

  /** CloudEvents `source` of its events. */
  get source(): string {
    return this.#run.source;
  }

  /** Id of the newest event. */
  get position(): string {
    return `${this.#run.boot}-${this.#n}`;
  }

  publish<T extends TopicName, V extends Verb<T>>(
    topic: T,
    verb: V,
    data: DataOf<T, V>,
    { subject }: PublishOptions = {},
  ): void {
    const { latest = false, parameters } = specOf(topic);
    const channel = parameters ? `${topic}/${subject}` : topic;
    const at = this.#clock();
    this.#n += 1;
    const type = `robot.${topic}.${verb}`;
    const event = new HubEvent(this.#run, { n: this.#n, channel, latest, type, subject, at, data });
    this.#snapshots.get(topic)?.take(event);
    if (!latest) this.#history.add(event);
    const subscribers = this.#subscribers.get(channel);
    if (subscribers) for (const mailbox of subscribers) mailbox.offer(event);
    for (const observer of this.#observers.get(topic) ?? []) observer(event);
  }

  /** Calls a listener with each event of a topic. The listener must not throw. @returns a function that ends it. */
  observe(topic: TopicName, listener: (event: HubEvent) => void): () => void {
    const observers = this.#observers.get(topic) ?? new Set();
    this.#observers.set(topic, observers.add(listener));
    return () => void observers.delete(listener);
  }

  /** Has a topic produced by this feed while somebody has subscribed to it. */
  provide(topic: TopicName, feed: Feed): void {
    this.#feeds.provide(topic, feed);
  }

  /**
   * The channel of this name, for a caller of this level.
   * @throws ServiceError `validation_failed`, `insufficient_access`, and what its feed refuses: `unit_not_allowed`.
   */
  channel(name: string, level: AccessLevel): Channel {
    const channel = channelNamed(name, level);
    this.#feeds.assertAllowed(channel);
    return channel;
  }

  /**
   * Sends `subscribed`, then of each channel a snapshot, and from then on what happens. With `after`, the id of the last
   * event that was seen, what has happened since then takes the place of the snapshot; where that is no longer known,
   * `gap` says so.
   */
  subscribe(mailbox: Mailbox, channels: readonly Channel[], after?: string): void {
    const { position } = this;
    mailbox.post({ type: 'subscribed', topics: namesOf(channels), position });
    const seen = after === undefined ? undefined : this.#numberOf(after);
    const missed = new Map(channels.map((channel) => [channel, this.#missedOn(mailbox, channel, seen)]));
    const lost = channels.filter((channel) => missed.get(channel) === undefined);
    if (after !== undefined && lost.length > 0) {
      mailbox.post({ type: 'gap', from: seen === undefined ? null : after, to: position, topics: namesOf(lost) });
    }
    for (const channel of channels) this.#join(mailbox, channel);
    const replayed = [...missed.values()].flatMap((events) => events ?? []);
    for (const event of replayed.sort((one, other) => one.n - other.n)) mailbox.replay(event);
    for (const { name, topic } of channels.filter(
      (channel) => lost.includes(channel) || specOf(channel.topic).latest,
    )) {
      mailbox.post({ type: 'snapshot', topic: name, data: this.#snapshotOf(name, topic) }, position);
    }
  }

  unsubscribe(mailbox: Mailbox, name: string): void {
    const subscribers = this.#subscribers.get(name);
    if (!subscribers?.delete(mailbox)) return;
    mailbox.dropLatest(name);
    if (subscribers.size > 0) return;
    this.#subscribers.delete(name);
    this.#feeds.release(name);
  }

  /** Ends every feed at once. */
  close(): void {
    this.#feeds.close();
  }

  #join(mailbox: Mailbox, channel: Channel): void {
    const subscribers = this.#subscribers.get(channel.name) ?? new Set();
    subscribers.add(mailbox);
    this.#subscribers.set(channel.name, subscribers);
    this.#feeds.hold(channel, (error) => this.#fail(channel.name, error));
  }

  /** A feed has failed: its subscribers are told, and may subscribe again. */
  #fail(name: string, error: unknown): void {
    const { code, message } =
      error instanceof ServiceError
        ? error
        : new ServiceError('internal_error', { detail: 'The source of this topic failed.' });
    for (const mailbox of [...(this.#subscribers.get(name) ?? [])]) {
      mailbox.post({ type: 'error', code, detail: message, topic: name });
      this.unsubscribe(mailbox, name);
    }
  }

  #snapshotOf(name: string, topic: TopicName): unknown {
    return this.#feeds.snapshot(name) ?? this.#snapshots.get(topic)?.read() ?? null;
  }

  /** Undefined: not known any more, or never asked for. */
  #missedOn(mailbox: Mailbox, { name, topic }: Channel, seen: number | undefined): HubEvent[] | undefined {
    if (seen === undefined) return undefined;
    if (specOf(topic).latest || this.#subscribers.get(name)?.has(mailbox)) return [];
    if (this.#feeds.has(topic) && !this.#feeds.isOpen(name)) return undefined;
    return this.#history.since(name, seen, this.#clock());
  }

  /** Number of an event of this run; undefined for any other id. */
  #numberOf(id: string): number | undefined {
    const [boot, n = ''] = id.split('-');
    if (boot !== this.#run.boot || !/^\d{1,15}$/.test(n)) return undefined;
    return Number(n) <= this.#n ? Number(n) : undefined;
  }
}

function namesOf(channels: readonly Channel[]): string[] {
  return channels.map(({ name }) => name);
}
