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
import { LogKeeper } from './write-ahead-log.ts';

/** What the writing thread does, one after the other: it holds the one connection that writes. */
export async function openWriter(storage: Storage, signal: AbortSignal) {
  const { session, migrated } = await openForWriting(storage.file, storage.backupDir, Date.now());
  const log = new LogKeeper(session, storage.file);
  /** The answer of a write does not wait for the log. */
  const kept = <A extends unknown[], T>(work: (...args: A) => T) => {
    return async (...args: A): Promise<Awaited<T>> => {
      try {
        return await work(...args);
      } finally {
        setImmediate(() => log.keepShort());
      }
    };
  };
  return {
    migrated: () => migrated,
    insert: kept((table: string, row: StoredRow) => insertRow(session, table, row)),
    update: kept((table: string, key: RowKey, changes: StoredRow) => updateRow(session, table, key, changes)),
    remove: kept((table: string, key: RowKey) => removeRow(session, table, key)),
    clear: kept((selection: Selection, now: number) => clear(session, storage, selection, now)),
    importTables: kept((selection: Selection, path: string) =>
      importTables(session, storage.exportDir, selection, path, signal),
    ),
    restore: kept((name: string, now: number) => restore(session, storage, name, now)),
    close: () => session.close(),
  };
}

/** What the reading thread does, beside each other and beside any write. */
export function openReader(storage: Storage) {
  const cursors = new Cursors(storage.file);
  return {
    start: (table: string, page: Page, owner: string) => cursors.start(table, page, owner),
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
