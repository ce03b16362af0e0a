import type { Logger } from './logger.ts';
import type { Budget, Metrics } from './metrics.port.ts';

/** A flood must not fill the log as well. */
const LOG_INTERVAL_MS = 60_000;

/** What is logged of a refusal besides the budget: who it was, never a secret. */
type Facts = Readonly<Record<string, string | number | undefined>>;

interface Logged {
  readonly at: number;
  /** Refusals since then that were not logged. */
  unlogged: number;
}

/** Counts what a budget refuses, and logs it at most once a minute for each budget. */
export class Refusals {
  readonly #metrics: Pick<Metrics, 'budgetExceeded'>;
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #logged = new Map<Budget, Logged>();

  constructor(metrics: Pick<Metrics, 'budgetExceeded'>, logger: Logger, clock: () => number) {
    this.#metrics = metrics;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** `message` is a sentence that says what was refused. */
  note(budget: Budget, message: string, facts: Facts = {}): void {
    this.#metrics.budgetExceeded(budget);
    const now = this.#clock();
    const last = this.#logged.get(budget);
    if (last && Math.abs(now - last.at) < LOG_INTERVAL_MS) {
      last.unlogged += 1;
      return;
    }
    this.#logger.warn({ budget, ...facts, unlogged: last?.unlogged ?? 0 }, message);
    this.#logged.set(budget, { at: now, unlogged: 0 });
  }
}
