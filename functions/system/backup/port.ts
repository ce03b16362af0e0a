import type { Readable } from 'node:stream';
import type { KeptArchive, RestoredRobot } from './backup.schema.ts';

/** The robot's database while nobody else may write. */
interface HeldDatabase {
  /** Finds out whether a database file could replace all rows; changes nothing. Errors: conflict, storage_full. */
  rehearse(file: string): Promise<void>;
  /** Replaces all rows by the incoming database (`incomingPath`), in one transaction. Errors: conflict, storage_full. */
  takeIn(): Promise<void>;
}

/** The robot's database, as the archives need it; provided by the host. */
export interface DatabaseFiles {
  /** Absolute path of the database. */
  readonly file: string;
  /** Version of its schema. */
  readonly schemaVersion: number;
  /**
   * Writes the database as it is at one moment to a new file (0600), beside any write.
   * Errors: component_unavailable, storage_full.
   */
  copyTo(path: string): Promise<void>;
  /** Finds out whether a file is a sound database of this service. Error: backup_invalid. */
  assertSound(path: string, signal: AbortSignal): Promise<void>;
  /** Runs work while other writes wait, 5 s at most, and then fail with busy. Error: busy, for a long write under way. */
  hold<T>(work: (database: HeldDatabase) => Promise<T>): Promise<T>;
}

export interface RestoreOptions {
  /** Checks everything and changes nothing. */
  readonly dryRun: boolean;
  /** Takes the archive of another robot. */
  readonly adopt: boolean;
  /** Ends a restore that has changed nothing yet. */
  readonly signal: AbortSignal;
}

/** The whole robot in one file. */
export interface RobotArchives {
  /**
   * Packs the robot as it is: a `.tar.gz`, made as it is read. Must be consumed or destroyed.
   * Errors: busy, when one is being packed already; conflict, for too many files; storage_full; component_unavailable.
   */
  pack(): Promise<Readable>;
  /** What restores have replaced, newest first. */
  list(): KeptArchive[];
  /**
   * Puts what is in an archive, or in a kept one of this name, in place of what is here: all of it or nothing, also
   * when the process is killed. Errors: archive_invalid; conflict for a newer schema, or another robot; busy, also
   * while the robot moves; not_found; storage_full; those of the archive as it arrives.
   */
  restore(archive: Readable | { readonly name: string }, options: RestoreOptions): Promise<RestoredRobot>;
}
