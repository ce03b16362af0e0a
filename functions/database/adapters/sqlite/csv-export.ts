import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { STAGED, sweep, unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { syncPath } from '../../../shared/kit/files/replace-file.ts';
import { KEY, type StoredValue } from '../../column.ts';
import type { Selection, Transferred } from '../../port.ts';
import { columnNames } from '../../tables.ts';
import { toField, WRITING } from './csv-format.ts';
import { type CsvFile, csvFiles } from './export-path.ts';
import { ExportQuota, removeEmptyFolders } from './exports.ts';
import { described } from './rows.ts';
import { query, type Session } from './session.ts';
import type { Storage } from './thread-protocol.ts';

const ROWS_A_TURN = 200;

/** What an export may add, to the disk and to the exports that are there. */
interface Room {
  readonly reserve: DiskReserve;
  readonly quota: ExportQuota;
}

/**
 * Writes the selected tables, all out of one state. Each file is written beside its place and renamed, so that a reader,
 * or a full disk, never meets half of one. What killed exports left in the same folder goes. Errors: validation_failed,
 * storage_full.
 */
export async function exportTables(
  session: Session,
  storage: Storage,
  selection: Selection,
  path: string,
): Promise<Transferred[]> {
  const { exportDir } = storage;
  const reserve = new DiskReserve(storage.minFree);
  reserve.assertRoom(exportDir);
  const room = { reserve, quota: new ExportQuota(storage, csvFiles(exportDir, selection, path, 'plan')) };
  const files = csvFiles(exportDir, selection, path, 'write').map((file) => {
    return { ...file, temporary: join(dirname(file.file), unfinishedName(STAGED)) };
  });
  const folders = new Set(files.map(({ file }) => dirname(file)));
  try {
    for (const folder of folders) sweep(folder, STAGED);
    session.database.exec('BEGIN');
    const done: Transferred[] = [];
    try {
      for (const file of files)
        done.push({ tablename: file.table, path: file.path, rows: await writeTable(session, file, room) });
    } finally {
      session.database.exec('COMMIT');
    }
    for (const { temporary, file } of files) renameSync(temporary, file);
    for (const folder of folders) syncPath(folder);
    return done;
  } finally {
    for (const { temporary } of files) rmSync(temporary, { force: true });
    // One that was refused leaves no folder that nobody could delete.
    for (const folder of folders) removeEmptyFolders(exportDir, folder);
  }
}

async function writeTable(
  session: Session,
  { table, temporary }: CsvFile & { temporary: string },
  { reserve, quota }: Room,
): Promise<number> {
  const description = described(table);
  const names = columnNames(description);
  const columns = Object.entries(description.columns);
  const { sql } = query.selectFrom(table).select(names).orderBy(KEY).compile();
  const descriptor = openSync(temporary, 'wx', 0o600);
  const write = (lines: Array<Array<string | null>>) => {
    const bytes = Buffer.from(stringify(lines, WRITING));
    quota.take(bytes.length);
    reserve.assertRoom(temporary, bytes.length);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  try {
    write([names]);
    let rows = 0;
    let records: Array<Array<string | null>> = [];
    const flush = async () => {
      write(records);
      records = [];
      await nextTurn(); // tables are being read on this thread as well
    };
    for (const values of session.database.prepare(sql).raw(true).iterate()) {
      const stored = values as StoredValue[]; // as: raw rows are arrays of what the columns hold
      records.push(columns.map(([, column], index) => toField(column, stored[index] ?? null)));
      rows += 1;
      if (records.length === ROWS_A_TURN) await flush();
    }
    if (records.length > 0) await flush();
    fsyncSync(descriptor);
    return rows;
  } finally {
    closeSync(descriptor);
  }
}
