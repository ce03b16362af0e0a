import type { EmergencyStop } from '../../port.ts';

type State = EmergencyStop['state'];

/** Maximum age of the last report in ms. */
export const MAX_REPORT_AGE_MS = 2_000;

/** The emergency stop of a robot according to its state messages. */
export class ReportedEmergencyStop implements EmergencyStop {
  readonly source: string;
  readonly #listeners: Array<() => void> = [];
  #state: State = 'unknown';
  #expiry: NodeJS.Timeout | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(source: string) {
    this.source = source;
  }

  get state(): State {
    // The timer is late while the event loop is blocked.
    return performance.now() - this.#reportedAt > MAX_REPORT_AGE_MS ? 'unknown' : this.#state;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Handles a report. */
  report(state: State): void {
    this.#reportedAt = performance.now();
    clearTimeout(this.#expiry);
    if (state !== 'unknown') this.#expiry = setTimeout(() => this.#change('unknown'), MAX_REPORT_AGE_MS).unref();
    this.#change(state);
  }

  /** Marks the state as unknown, because the robot is unreachable. */
  lose(): void {
    clearTimeout(this.#expiry);
    this.#change('unknown');
  }

  #change(state: State): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
