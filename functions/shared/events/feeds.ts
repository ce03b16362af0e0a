import type { Channel, TopicName } from './topics.ts';

/** Produces the events of a channel from when it is opened until it is closed. */
export interface OpenFeed {
  /** What a new subscriber is told; undefined while nothing is known. */
  snapshot?(): unknown;
  close(): void;
}

/** Produces the events of a topic while somebody has subscribed to it. */
export interface Feed {
  /** @throws ServiceError when nobody may subscribe to this channel. */
  assertAllowed?(channel: Channel): void;
  /** Starts to publish. `fail` ends it: nothing more will come. */
  open(channel: Channel, fail: (error: unknown) => void): OpenFeed;
}

/** A client that reconnects finds its feed still running. */
const LINGER_MS = 10_000;

interface Running {
  readonly feed: OpenFeed;
  lingering: NodeJS.Timeout | undefined;
}

/** Feeds by channel: each runs once, however many have subscribed, and a while longer than the last of them. */
export class Feeds {
  readonly #feeds = new Map<TopicName, Feed>();
  readonly #running = new Map<string, Running>();
  readonly #onClosed: (channel: string) => void;

  constructor(onClosed: (channel: string) => void) {
    this.#onClosed = onClosed;
  }

  provide(topic: TopicName, feed: Feed): void {
    this.#feeds.set(topic, feed);
  }

  has(topic: TopicName): boolean {
    return this.#feeds.has(topic);
  }

  isOpen(channel: string): boolean {
    return this.#running.has(channel);
  }

  assertAllowed(channel: Channel): void {
    this.#feeds.get(channel.topic)?.assertAllowed?.(channel);
  }

  /** Runs the feed of a channel, if it has one, until it is released. */
  hold(channel: Channel, onFailed: (error: unknown) => void): void {
    const feed = this.#feeds.get(channel.topic);
    const running = this.#running.get(channel.name);
    if (running) {
      clearTimeout(running.lingering);
      running.lingering = undefined;
    } else if (feed) {
      const fail = (error: unknown) => {
        if (this.#running.get(channel.name) !== started) return;
        this.#end(channel.name);
        onFailed(error);
      };
      const started: Running = { feed: feed.open(channel, fail), lingering: undefined };
      this.#running.set(channel.name, started);
    }
  }

  release(channel: string): void {
    const running = this.#running.get(channel);
    if (running) running.lingering = setTimeout(() => this.#end(channel), LINGER_MS).unref();
  }

  snapshot(channel: string): unknown {
    return this.#running.get(channel)?.feed.snapshot?.();
  }

  close(): void {
    for (const channel of [...this.#running.keys()]) this.#end(channel);
  }

  #end(channel: string): void {
    const running = this.#running.get(channel);
    if (!running) return;
    this.#running.delete(channel);
    clearTimeout(running.lingering);
    running.feed.close();
    this.#onClosed(channel);
  }
}
