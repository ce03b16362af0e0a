import type { Message } from '../../mqtt/message.ts';

/** New presence messages of a robot that are read at once, and then one a second: reading a catalogue costs time. */
const BURST = 5;
const REFILL_MS = 1_000;

/** Lets through as many new presence messages as a robot may send; of those that come faster the latest is read later. */
export class PresencePace {
  readonly #take: (message: Message) => void;
  #tokens = BURST;
  #refilledAt = performance.now();
  #latest: Message | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(take: (message: Message) => void) {
    this.#take = take;
  }

  offer(message: Message): void {
    const now = performance.now();
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#refilledAt) / REFILL_MS);
    this.#refilledAt = now;
    this.#latest = message;
    if (this.#tokens >= 1) this.#takeLatest();
    else this.#timer ??= setTimeout(() => this.#takeLatest(), REFILL_MS * (1 - this.#tokens)).unref();
  }

  /** What has come and was not read is not read any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#latest = undefined;
  }

  #takeLatest(): void {
    const message = this.#latest;
    this.clear();
    this.#tokens -= 1;
    if (message) this.#take(message);
  }
}
