import { TokenBucket } from '../../../kit/token-bucket.ts';
import type { Message } from '../broker/message.ts';

interface Parts {
  readonly take: (message: Message) => void;
  /** Size of a burst, and messages per second after that. */
  readonly burst: number;
  readonly perSecond: number;
  /** Called for each message that is deferred. */
  readonly onDelay?: () => void;
}

/** Limits the rate of messages. Of those above the limit, only the latest is handled, later. */
export class Pace {
  readonly #parts: Parts;
  readonly #bucket: TokenBucket;
  #latest: Message | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#bucket = new TokenBucket(parts);
  }

  offer(message: Message): void {
    this.#latest = message;
    if (this.#takeLatest()) return;
    this.#parts.onDelay?.();
    this.#schedule();
  }

  /** Drops the deferred message. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#latest = undefined;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#takeLatest()) this.#schedule(); // timers may fire slightly early
    }, Math.ceil(this.#bucket.waitMs)).unref();
  }

  #takeLatest(): boolean {
    const message = this.#latest;
    if (!message || !this.#bucket.take()) return message === undefined;
    this.clear();
    this.#parts.take(message);
    return true;
  }
}
