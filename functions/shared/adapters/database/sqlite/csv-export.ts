import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { forgetStaged, stagedName, sweepStaged } from '../../files/staged.ts';
import { KEY, type StoredValue } from '../column.ts';
import type { Selection, Transferred } from '../port.ts';
import { toField, WRITING } from './csv-format.ts';
import { type CsvFile, csvFiles } from './export-path.ts';
import { described } from './rows.ts';
import { query, type Session } from './session.ts';
import { syncPath } from './snapshot-file.ts';

const ROWS_A_TURN = 200;

/**
 * Writes the selected tables, all out of one state. Each file is written beside its place and renamed, so that a reader,
 * or a full disk, never meets half of one. What killed exports left in the same folder goes.
 */
export async function exportTables(
  session: Session,
  exportDir: string,
  selection: Selection,
  path: string,
): Promise<Transferred[]> {
  const files = csvFiles(exportDir, selection, path, 'write').map((file) => {
    const staged = stagedName();
    return { ...file, staged, temporary: join(dirname(file.file), staged) };
  });
  const folders = new Set(files.map(({ file }) => dirname(file)));
  try {
    for (const folder of folders) await sweepStaged(folder, Date.now());
    session.database.exec('BEGIN');
    const done: Transferred[] = [];
    try {
      for (const file of files)
        done.push({ tablename: file.table, path: file.path, rows: await writeTable(session, file) });
    } finally {
      session.database.exec('COMMIT');
    }
    for (const { temporary, file } of files) renameSync(temporary, file);
    for (const folder of folders) syncPath(folder);
    return done;
  } finally {
    for (const { temporary, staged } of files) {
      rmSync(temporary, { force: true });
      forgetStaged(staged);
    }
  }
}

async function writeTable(session: Session, { table, temporary }: CsvFile & { temporary: string }): Promise<number> {
  const columns = Object.entries(described(table).columns);
  const names = columns.map(([name]) => name);
  const { sql } = query.selectFrom(table).select(names).orderBy(KEY).compile();
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeText(descriptor, stringify([names], WRITING));
    let rows = 0;
    let records: Array<Array<string | null>> = [];
    const flush = async () => {
      writeText(descriptor, stringify(records, WRITING));
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

function writeText(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
