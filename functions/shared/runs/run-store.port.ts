import type { RunRecord } from './run.schema.ts';

/** Keeps the records of runs over a restart. */
export interface RunStore {
  /** All records, in any order; unreadable ones are left out. */
  load(): Promise<RunRecord[]>;
  /** @throws ServiceError `storage_full`, or a system error. */
  save(record: RunRecord): void;
  /** Never throws. */
  remove(id: string): void;
}
