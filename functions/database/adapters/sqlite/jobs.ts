import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import type { RowKey, StoredRow } from '../../column.ts';
import type { Page, Selection } from '../../port.ts';
import type { TableName } from '../../tables.ts';
import { clear, snapshotNow } from './clear.ts';
import { exportTables } from './csv-export.ts';
import { importTables } from './csv-import.ts';
import { importUpload } from './csv-upload.ts';
import { Cursors } from './cursors.ts';
import { listExports, removeExport } from './exports.ts';
import { FreePages } from './free-pages.ts';
import { IndexRoom } from './index-room.ts';
import { openForWriting } from './opening.ts';
import { copyOwn } from './own-copy.ts';
import { restore } from './restore.ts';
import type { RowForm } from './row-format.ts';
import { bytesOf, bytesOfChanged, countRows, insertRow, removeRow, updateRow } from './rows.ts';
import { Session } from './session.ts';
import { listSnapshots } from './snapshots.ts';
import { rehearse, takeIn } from './take-in.ts';
import type { Storage } from './thread-protocol.ts';
import { LogKeeper } from './write-ahead-log.ts';

/** What the writing thread does, one after the other: it holds the one connection that writes. */
export async function openWriter(storage: Storage, signal: AbortSignal) {
  const reserve = new DiskReserve(storage.minFree);
  const indexRoom = new IndexRoom(storage.file, reserve, signal);
  const { session, migrated } = await openForWriting(storage.file, storage.backupDir, Date.now());
  await takeIn(session, storage.file); // a restore of the whole robot that was killed
  await indexRoom.prepare();
  const log = new LogKeeper(session, storage.file, reserve);
  const freePages = new FreePages(session, storage.file, reserve, log);
  freePages.prepare();
  /** The answer of a write does not wait for the log. */
  const kept = <A extends unknown[], T>(work: (...args: A) => T) => {
    return async (...args: A): Promise<Awaited<T>> => {
      try {
        return await work(...args);
      } finally {
        setImmediate(() => {
          log.keepShort();
          freePages.giveBack();
          indexRoom.keep().catch(() => {}); // the file is gone: the next write says so
        });
      }
    };
  };
  return {
    migrated: () => migrated,
    insert: kept((table: TableName, row: StoredRow) => {
      log.requireRoomForRow(bytesOf(row));
      return insertRow(session, table, row);
    }),
    update: kept((table: TableName, key: RowKey, changes: StoredRow) => {
      log.requireRoomForRow(bytesOfChanged(session, table, key, changes));
      return updateRow(session, table, key, changes);
    }),
    remove: kept((table: TableName, key: RowKey) => log.withRoom(() => removeRow(session, table, key))),
    clear: kept((selection: Selection, now: number) => clear({ session, storage, log }, selection, now)),
    importTables: kept((selection: Selection, path: string) =>
      importTables({ session, storage, log }, selection, path, signal),
    ),
    importUpload: kept((table: TableName, file: string, dryRun: boolean, now: number) =>
      importUpload({ session, storage, log }, { table, file, dryRun, now }, signal),
    ),
    snapshot: kept((now: number) => snapshotNow({ session, storage, log }, now)),
    restore: kept((name: string, now: number) => restore(session, storage, name, now)),
    rehearse: kept((copy: string) => rehearse(session, copy)),
    takeIn: kept(() => takeIn(session, storage.file)),
    close: () => {
      freePages.close();
      log.close();
    },
  };
}

/** What the reading thread does, beside each other and beside any write. */
export function openReader(storage: Storage) {
  const cursors = new Cursors(storage.file);
  return {
    start: (table: TableName, page: Page, owner: string, form: RowForm) => cursors.start(table, page, owner, form),
    counts: () => countRows(storage.file),
    copyOwn: (target: string) => copyOwn(storage.file, target, storage.minFree),
    continue: (id: number) => cursors.continue(id),
    end: (id: number) => cursors.end(id),
    exportTables: async (selection: Selection, path: string) => {
      const session = Session.reading(storage.file);
      try {
        return await exportTables(session, storage, selection, path);
      } finally {
        session.close();
      }
    },
    exports: () => listExports(storage),
    removeExport: (path: string) => removeExport(storage, path),
    snapshots: () => listSnapshots(storage.backupDir).map(({ name, created_at, size }) => ({ name, created_at, size })),
    close: () => cursors.close(),
  };
}

export type WriterJobs = Awaited<ReturnType<typeof openWriter>>;
export type ReaderJobs = ReturnType<typeof openReader>;
