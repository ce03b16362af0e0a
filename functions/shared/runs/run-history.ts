import type { Logger } from '../observability/logger.ts';
import { RunEntry } from './run-entry.ts';
import type { RunStore } from './run-store.port.ts';

/** Runs that are remembered, those under way included. */
const MAX_RUNS = 100;
/** Bytes of the logs of ended runs in memory. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** The last runs, on disk too. */
export class RunHistory {
  readonly #store: RunStore;
  readonly #logger: Logger;
  /** Oldest first. */
  readonly #runs = new Map<string, RunEntry>();

  constructor(store: RunStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Reads the runs of earlier processes; those that were under way are lost. */
  async restore(clock: () => number): Promise<void> {
    const records = (await this.#store.load()).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    for (const record of records) {
      const run = RunEntry.restore(record, clock);
      this.#runs.set(run.id, run);
      if (run.state !== record.state) this.save(run);
    }
    this.#prune();
  }

  find(id: string): RunEntry | undefined {
    return this.#runs.get(id);
  }

  /** Newest first. */
  list(): RunEntry[] {
    return [...this.#runs.values()].reverse();
  }

  /** @throws what the store throws: a run that is not on disk would not be known to be lost. */
  add(run: RunEntry): void {
    this.#store.save(run.record());
    this.#runs.set(run.id, run);
    this.#prune();
  }

  /** What cannot be written is right in memory; after a restart the run reads as lost. */
  save(run: RunEntry): void {
    try {
      this.#store.save(run.record());
    } catch (error) {
      this.#logger.warn({ err: error, run: run.id, state: run.state }, 'could not store the state of a run');
    }
  }

  /** Drops the oldest logs beyond what is kept in memory. */
  trimLogs(): void {
    let bytes = 0;
    for (const run of this.list()) {
      if (!run.hasEnded) continue;
      bytes += run.log.bytes;
      if (bytes > MAX_LOG_BYTES) run.log.clear();
    }
  }

  #prune(): void {
    for (const run of this.#runs.values()) {
      if (this.#runs.size <= MAX_RUNS) return;
      if (!run.hasEnded) continue;
      this.#runs.delete(run.id);
      this.#store.remove(run.id);
    }
  }
}
