import type { HeldDatabase } from './port.ts';

/** The database as one file that can be taken elsewhere. */
export interface DatabaseFiles {
  /** Absolute path of the database. */
  readonly file: string;
  /** Version of the schema that this release knows. */
  readonly schemaVersion: number;
  /**
   * Writes the database as it is at one moment to a new file (0600), beside any write.
   * Errors: component_unavailable, storage_full.
   */
  copyTo(path: string): Promise<void>;
  /** Finds out, in another process and for 30 s at most, whether a file is a sound database of this service. Error: backup_invalid. */
  assertSound(path: string, signal: AbortSignal): Promise<void>;
  /** Runs work while other writes wait, 5 s at most, and then fail with busy. Error: busy, for a long write under way. */
  hold<T>(work: (database: HeldDatabase) => Promise<T>): Promise<T>;
}
