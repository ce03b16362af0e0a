import type { RowKey, StoredRow } from '../column.ts';
import type { Page, Selection } from '../port.ts';
import { clear } from './clear.ts';
import { exportTables } from './csv-export.ts';
import { importTables } from './csv-import.ts';
import { Cursors } from './cursors.ts';
import { openForWriting } from './opening.ts';
import { restore } from './restore.ts';
import { insertRow, removeRow, updateRow } from './rows.ts';
import { Session } from './session.ts';
import { listSnapshots } from './snapshots.ts';
import type { Storage } from './storage.ts';

/** What the writing thread does, one after the other: it holds the one connection that writes. */
export async function openWriter(storage: Storage, signal: AbortSignal) {
  const { session, migrated } = await openForWriting(storage.file, storage.backupDir, Date.now());
  return {
    migrated: () => migrated,
    insert: (table: string, row: StoredRow) => insertRow(session, table, row),
    update: (table: string, key: RowKey, changes: StoredRow) => updateRow(session, table, key, changes),
    remove: (table: string, key: RowKey) => removeRow(session, table, key),
    clear: (selection: Selection, now: number) => clear(session, storage, selection, now),
    importTables: (selection: Selection, path: string) =>
      importTables(session, storage.exportDir, selection, path, signal),
    restore: (name: string, now: number) => restore(session, storage, name, now),
    close: () => session.close(),
  };
}

/** What the reading thread does, beside each other and beside any write. */
export function openReader(storage: Storage) {
  const cursors = new Cursors(storage.file);
  return {
    start: (table: string, page: Page) => cursors.start(table, page),
    continue: (id: number) => cursors.continue(id),
    end: (id: number) => cursors.end(id),
    exportTables: async (selection: Selection, path: string) => {
      const session = Session.reading(storage.file);
      try {
        return await exportTables(session, storage.exportDir, selection, path);
      } finally {
        session.close();
      }
    },
    snapshots: () => listSnapshots(storage.backupDir).map(({ name, created_at, size }) => ({ name, created_at, size })),
    close: () => cursors.close(),
  };
}

export type WriterJobs = Awaited<ReturnType<typeof openWriter>>;
export type ReaderJobs = ReturnType<typeof openReader>;
