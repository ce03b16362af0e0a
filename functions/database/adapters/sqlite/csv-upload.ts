import { open } from 'node:fs/promises';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import type { Uploaded } from '../../port.ts';
import type { TableName } from '../../tables.ts';
import { sizeOf, snapshotOfPresent, type Writing } from './clear.ts';
import { importFile, requireReferences } from './csv-import.ts';
import { alignSequences } from './ids.ts';
import { described } from './rows.ts';
import { discardSnapshot, pruneSnapshots, requireRoom } from './snapshots.ts';

interface UploadedFile {
  readonly table: TableName;
  /** Where the whole file lies. */
  readonly file: string;
  readonly dryRun: boolean;
  readonly now: number;
}

/** Ends a transaction that shall leave nothing behind. */
class Undo extends Error {}

/**
 * Reads a CSV file into a table, in one transaction after a snapshot under the same lock, which goes again if nothing was
 * changed. A dry run does the same, but for the snapshot, and is rolled back. Errors: invalid_csv, conflict (dangling
 * references), storage_full; nothing is changed then.
 */
export async function importUpload(
  { session, storage, log }: Writing,
  { table: name, file, dryRun, now }: UploadedFile,
  signal: AbortSignal,
): Promise<Uploaded> {
  const { backupDir, backupMaxBytes } = storage;
  const table = described(name);
  const handle = await open(file, 'r');
  let backup: string | null = null;
  let counts = { inserted: 0, updated: 0, unchanged: 0 };
  try {
    const roomForRows = log.roomForImport();
    await session.transaction(async () => {
      session.database.pragma('defer_foreign_keys = ON');
      if (!dryRun) {
        const coming = sizeOf(session);
        requireRoom(backupDir, coming, now, backupMaxBytes);
        new DiskReserve(storage.minFree).assertRoom(backupDir, coming);
        backup = await snapshotOfPresent(session, storage, now);
      }
      const before = session.count(name);
      const { rows, changed } = await importFile(
        { session, requireRoom: roomForRows },
        table,
        `${name}.csv`,
        handle,
        signal,
      );
      requireReferences(session, table);
      const inserted = session.count(name) - before;
      counts = { inserted, updated: changed - inserted, unchanged: rows - changed };
      if (dryRun || changed === 0) throw new Undo();
      alignSequences(session);
    });
    pruneSnapshots(backupDir, now);
    return { ...counts, backup };
  } catch (error) {
    discardSnapshot(backupDir, backup, error);
    if (error instanceof Undo) return { ...counts, backup: null };
    throw error;
  } finally {
    await handle.close();
  }
}
