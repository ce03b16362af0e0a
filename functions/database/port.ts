import type { Readable } from 'node:stream';
import type { Snapshot } from './backup.schema.ts';
import type { RowKey, StoredRow } from './column.ts';
import type { Uploaded } from './table.schema.ts';
import type { TableName } from './tables.ts';
import type { ExportedFile, Exports, Transferred } from './transfer.schema.ts';

/** One table by its name, or every table. */
export type Selection = { readonly table: TableName } | 'every';

export interface Page {
  /** Most rows; absent: all. */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
}

/** Who requests something that takes long, and for how long they wait. */
export interface Requester {
  /** Ends a reading, and the wait for a turn, when it aborts. */
  readonly signal: AbortSignal;
  /** The key of the caller: no key may occupy all readings, exports or imports. */
  readonly owner: string;
}

/** Rows on their way: a JSON array, written as it is taken, out of one state of the table. */
export interface RowStream {
  /** Rows of the whole table. */
  readonly total: number;
  readonly body: Readable;
}

export interface Cleared {
  readonly deleted: Readonly<Record<string, number>>;
  /** The snapshot taken before; null when there was nothing to delete. */
  readonly backup: string | null;
}

export interface Restored {
  readonly rows: Readonly<Record<string, number>>;
  /** The snapshot of the previous content; null if there was none. */
  readonly backup: string | null;
}

/** The database while nobody else may write. */
export interface HeldDatabase {
  /** Finds out whether a database file could replace all rows; changes nothing. Errors: conflict, storage_full. */
  rehearse(file: string): Promise<void>;
  /** Replaces all rows by the incoming database (`incomingPath`), in one transaction. Errors: conflict, storage_full. */
  takeIn(): Promise<void>;
}

export type { ExportedFile, Exports, Snapshot, Transferred, Uploaded };

/**
 * The robot's database (specification, sections 2.4 and 4.4). Tables are named as there; rows come and go in the form
 * they are kept in. A write that is answered is on the disk. Nothing here holds up the event loop.
 *
 * Errors of every operation: component_unavailable (cannot be opened, damaged, newer than the code); of every write also
 * storage_full and busy (it waited too long for a longer one).
 */
export interface RobotDatabase {
  /** The SQLAlchemy-style URL. */
  readonly url: string;
  /**
   * Rows in the order of their keys. A reading that makes no progress for a minute, or takes longer than five, breaks off.
   * Error: busy, when too many large tables are being read, by this owner or by all.
   */
  readRows(table: TableName, page: Page, requester: Requester): Promise<RowStream>;
  /** The same as CSV, with a header line. */
  readCsv(table: TableName, requester: Requester): Promise<RowStream>;
  /** How many rows each table has, all at one moment. */
  counts(): Promise<Readonly<Record<string, number>>>;
  readRow(table: TableName, key: RowKey): Promise<StoredRow | undefined>;
  /** The row as stored. Errors: already_exists, conflict (a dangling reference). */
  insert(table: TableName, row: StoredRow): Promise<StoredRow>;
  /** The row as changed, undefined when there is none. Error: conflict (a dangling reference). */
  update(table: TableName, key: RowKey, changes: StoredRow): Promise<StoredRow | undefined>;
  /** The row as it was, undefined when there is none. Error: conflict (rows refer to it). */
  remove(table: TableName, key: RowKey): Promise<StoredRow | undefined>;
  /** Deletes every row after a snapshot. Errors: conflict (rows refer to them), storage_full. */
  clear(selection: Selection): Promise<Cleared>;
  /**
   * Writes tables as CSV files out of one state. `path` is relative to the export folder or absolute and inside it, and
   * names the file of one table or the folder of all; empty: the usual one.
   * Errors: validation_failed (the path), busy, storage_full (also when the exports fill their quota).
   */
  exportTables(selection: Selection, path: string, requester: Requester): Promise<Transferred[]>;
  /** The CSV files in the export folder, by their paths, and what they fill of the quota. */
  exports(): Promise<Exports>;
  /** Removes a CSV file of the export folder, and the folders that it leaves empty. Errors: validation_failed, not_found. */
  removeExport(path: string): Promise<ExportedFile>;
  /**
   * Reads CSV files into tables, all or nothing; rows with a known key are replaced.
   * Errors: validation_failed (the path), not_found, file_too_large, invalid_csv, conflict, busy.
   */
  importTables(selection: Selection, path: string, requester: Requester): Promise<Transferred[]>;
  /**
   * Reads a CSV file as it arrives into a table, all or nothing, after a snapshot if it changes anything; a dry run is
   * undone at its end. Errors: those of the file as it arrives, invalid_csv, conflict, busy, storage_full.
   */
  uploadCsv(table: TableName, file: Readable, options: Requester & { readonly dryRun: boolean }): Promise<Uploaded>;
  /** Newest first. */
  snapshots(): Promise<Snapshot[]>;
  /** Takes a snapshot, and gives its name. Error: storage_full. */
  snapshot(): Promise<string>;
  /** Puts a snapshot in place of what is there. Errors: not_found, conflict (newer than the code, or damaged), busy. */
  restore(name: string, requester: Requester): Promise<Restored>;
  /** Runs work while other writes wait, 5 s at most, and then fail with busy. Error: busy, for a long write under way. */
  hold<T>(work: (database: HeldDatabase) => Promise<T>): Promise<T>;
  /** This process has made the database: it holds nothing but what was written since. */
  readonly isNew: boolean;
  /** Counts the writes that went through here; what was read is current while it stays the same. */
  readonly writes: number;
  /** Why the database cannot be used at the moment, or undefined. */
  problem(): string | undefined;
  close(): Promise<void>;
}
