import type { EventHub } from '../../functions/shared/events/hub.ts';
import { Shares } from '../../functions/shared/kit/shares.ts';
import { BudgetExceeded } from '../../functions/shared/observability/budget-exceeded.ts';
import type { EventFace, EventMetrics } from '../../functions/shared/observability/metrics.port.ts';
import { NewestTokens } from './dialect/newest-tokens.ts';
import type { EventLimits } from './limits.ts';
import { Turns } from './turns.ts';

/** A connection over which somebody receives events. */
export interface EventStream {
  /** Ends it if its time has come. `now` in ms since the epoch. */
  check(now: number): void;
  /** Called at shutdown: sends what is waiting, as far as the connection allows, and closes. */
  endForRestart(): void;
}

export interface EventStreamsParts {
  readonly hub: EventHub;
  readonly metrics: EventMetrics;
  readonly clock: () => number;
  readonly limits: EventLimits;
}

/** Everybody who receives events from this process, over whatever face. */
export class EventStreams {
  readonly hub: EventHub;
  readonly metrics: EventMetrics;
  readonly clock: () => number;
  readonly limits: EventLimits;
  readonly turns = new Turns();
  readonly newestTokens = new NewestTokens();
  readonly #open = new Set<EventStream>();
  readonly #places: Shares;
  readonly #timer: NodeJS.Timeout;
  #onEmpty: (() => void) | undefined;

  constructor({ hub, metrics, clock, limits }: EventStreamsParts) {
    this.hub = hub;
    this.metrics = metrics;
    this.clock = clock;
    this.limits = limits;
    this.#places = new Shares(limits.connections, 'event streams');
    this.#timer = setInterval(() => this.#check(), limits.checkMs).unref();
  }

  /** Looks after a stream until the returned function is called. */
  add(stream: EventStream, face: EventFace): () => void {
    this.#open.add(stream);
    this.metrics.eventConnections(face, 1);
    return () => {
      if (!this.#open.delete(stream)) return;
      this.metrics.eventConnections(face, -1);
      if (this.#open.size === 0) this.#onEmpty?.();
    };
  }

  /** Takes a place for a key, to be released once. @throws BudgetExceeded `busy` when it has its share. */
  takePlace(keyId: string): () => void {
    try {
      return this.#places.take(keyId);
    } catch {
      throw new BudgetExceeded('event_streams', 'busy', {
        detail: 'This key receives events over too many connections. Close some of them, then try again.',
        headers: { 'retry-after': '5' },
      });
    }
  }

  /** Ends all streams; settles when they are closed, or when the closing handshakes have had their time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const stream of [...this.#open]) stream.endForRestart();
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.limits.closeMs * 2);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.hub.close();
  }

  #check(): void {
    const now = this.clock();
    for (const stream of [...this.#open]) stream.check(now);
  }
}
