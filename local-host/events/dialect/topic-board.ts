/** Who receives what is published on a topic. */
export interface Listener {
  /** Takes in a frame to be sent as it is. */
  deliver(frame: string): void;
  /** Queues a frame, replacing a waiting one of the same topic. */
  deliverLatest(topic: string, frame: string): void;
}

/** Delivers frames to the subscribed clients of port 8001. */
export class TopicBoard {
  readonly #listeners = new Map<string, Set<Listener>>();

  subscribe(topic: string, listener: Listener): void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
  }

  unsubscribe(topic: string, listener: Listener): void {
    const listeners = this.#listeners.get(topic);
    if (listeners?.delete(listener) && listeners.size === 0) this.#listeners.delete(topic);
  }

  /** Whether anybody is subscribed. */
  has(topic: string): boolean {
    return this.#listeners.has(topic);
  }

  /** Delivers what a client has published, unchanged. */
  publish(topic: string, frame: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener.deliver(frame);
  }

  /** Delivers a value of the robot, of which only the latest matters. */
  offer(topic: string, frame: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener.deliverLatest(topic, frame);
  }
}
