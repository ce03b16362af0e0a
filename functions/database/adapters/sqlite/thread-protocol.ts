import type { Failure } from '../../../shared/thread-failure.ts';

/** Paths and limits of the database. Plain data: it is passed to the threads. */
export interface Storage {
  /** Absolute path of the database file. */
  readonly file: string;
  readonly backupDir: string;
  readonly exportDir: string;
  /** Most bytes that the CSV files in the export folder may fill. */
  readonly exportMaxBytes: number;
  /** Most bytes that snapshots younger than 7 days may fill. */
  readonly backupMaxBytes: number;
  /** Bytes of the disk that nothing which adds data may use; see DiskReserve. */
  readonly minFree: number | undefined;
}

export interface ThreadData {
  readonly role: 'writer' | 'reader';
  readonly storage: Storage;
}

export interface ThreadRequest {
  readonly id: string;
  /** `open` waits until the connections are open; `close` ends the thread once its jobs are done or aborted. */
  readonly job: string;
  readonly args: readonly unknown[];
}

export type ThreadReply =
  | { readonly id: string; readonly value: unknown }
  | { readonly id: string; readonly failure: Failure };

/** Part of a JSON array of rows; `more`: there are further chunks. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly more: boolean;
}

/** Readings that run at once: in all, and of one key. */
export const MAX_CURSORS = 32;
export const MAX_CURSORS_EACH = 8;
/** A read delays the checkpoint of the log, so it ends after this idle time, and after this total time. */
export const MAX_IDLE_MS = 60_000;
export const MAX_READING_MS = 300_000;
/** While readings hold back a log of this size, in bytes, no other begins. */
export const MAX_LOG_BYTES = 256 * 1024 * 1024;
