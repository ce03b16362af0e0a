import type { Readable } from 'node:stream';
import type { Snapshot } from './backup.schema.ts';
import type { Requester } from './port.ts';

/** The snapshots of the database, as files. */
export interface SnapshotFiles {
  /** A snapshot as it lies there; the stream must be read or destroyed. Error: not_found. */
  open(name: string): Promise<{ readonly size: number; readonly body: Readable }>;
  /**
   * Takes a snapshot in, once it has arrived whole and was found to be sound and of this service.
   * Errors: those of the file as it arrives, already_exists, backup_invalid, busy, storage_full.
   */
  receive(name: string, file: Readable, requester: Requester): Promise<Snapshot>;
}
