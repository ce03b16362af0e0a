import { Backoff } from '../kit/backoff.ts';
import { Latch } from '../kit/latch.ts';
import type { Logger } from '../observability/logger.ts';
import { arrivalStamp } from './fence.ts';

/** Makes one attempt to stop the robot; resolves when the robot has confirmed. */
export type StopNow = () => Promise<unknown>;

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 2_000;

/** A background stop, repeated until the robot confirms this or any later stop. */
export class StopUntilConfirmed {
  readonly #logger: Logger;
  #stop: StopNow | undefined;
  #wanted: { since: number; readonly confirmed: Latch } | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Sets how to stop the robot. */
  by(stop: StopNow): void {
    this.#stop = stop;
  }

  /** Whether there is an unconfirmed stop. */
  get pending(): boolean {
    return this.#wanted !== undefined;
  }

  /** Stops all motion started until now. */
  begin(): void {
    const since = arrivalStamp();
    if (this.#wanted) {
      this.#wanted.since = since;
      return;
    }
    this.#wanted = { since, confirmed: new Latch() };
    void this.#repeat();
  }

  /** Records that the robot has confirmed a stop begun at this `arrivalStamp`. */
  confirm(begunAt: number): void {
    if (this.#wanted === undefined || begunAt < this.#wanted.since) return;
    this.#wanted.confirmed.open();
    this.#wanted = undefined;
  }

  /** Waits until nothing is pending, for at most this long. @returns whether that is so. */
  async within(ms: number): Promise<boolean> {
    if (!this.#wanted) return true;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), ms);
    return this.#wanted.confirmed
      .wait(patience.signal)
      .then(
        () => true,
        () => false,
      )
      .finally(() => clearTimeout(timer));
  }

  /** Stops repeating. */
  close(): void {
    this.#wanted = undefined;
  }

  async #repeat(): Promise<void> {
    const backoff = new Backoff(FIRST_DELAY_MS, LONGEST_DELAY_MS);
    while (this.#wanted) {
      try {
        if (!this.#stop) return;
        await this.#stop();
      } catch (error) {
        if (backoff.failures === 0)
          this.#logger.error({ err: error }, 'the robot did not confirm a stop; repeating it');
        await new Promise((resolve) => setTimeout(resolve, backoff.fail()).unref());
      }
    }
  }
}
