import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CsvError } from 'csv-parse';
import { ServiceError } from '../../../errors.ts';
import { KEY, type Table } from '../column.ts';
import type { Selection, Transferred } from '../port.ts';
import { dialectOf } from './csv-dialect.ts';
import { invalidCsv, openCsv, vetted } from './csv-file.ts';
import { recordParser } from './csv-parser.ts';
import { RecordReader } from './csv-record.ts';
import { type CsvFile, csvFiles } from './export-path.ts';
import { alignSequences } from './ids.ts';
import { described } from './rows.ts';
import { query, type Session } from './session.ts';

/**
 * Reads the selected tables' files, all in one transaction, references checked at its end. Rows with a known key are
 * replaced, others added. Errors: validation_failed, not_found, file_too_large, invalid_csv (line, column and reason of
 * the first bad line), conflict (dangling references); nothing is changed then.
 */
export async function importTables(
  session: Session,
  exportDir: string,
  selection: Selection,
  path: string,
  signal: AbortSignal,
): Promise<Transferred[]> {
  const opened: Array<CsvFile & { handle: FileHandle }> = [];
  try {
    for (const file of csvFiles(exportDir, selection, path, 'read'))
      opened.push({ ...file, handle: await openCsv(file) });
    return await session.transaction(async () => {
      session.database.pragma('defer_foreign_keys = ON');
      const done: Transferred[] = [];
      for (const { table, path, handle } of opened) {
        const rows = await importFile(session, described(table), path, handle, signal);
        done.push({ tablename: table, path, rows });
      }
      for (const { table } of opened) requireReferences(session, described(table));
      alignSequences(session);
      return done;
    });
  } finally {
    for (const { handle } of opened) await handle.close();
  }
}

async function importFile(
  session: Session,
  table: Table,
  path: string,
  handle: FileHandle,
  signal: AbortSignal,
): Promise<number> {
  const { delimiter, start, line } = await dialectOf(handle);
  const reader = new RecordReader(session, table, path, line);
  const parser = recordParser(delimiter, (record) => reader.take(record));
  try {
    await pipeline(handle.createReadStream({ start, autoClose: false }), (bytes) => vetted(bytes, path), parser, {
      signal,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidCsv({
      path,
      line: reader.line,
      reason: `it is not RFC 4180 (${error.code}): a field with a quote in it stands in quotes, and the quote is doubled`,
      cause: error,
    });
  }
  reader.end();
  return reader.rows;
}

function requireReferences(session: Session, table: Table): void {
  for (const [column, { references }] of Object.entries(table.columns)) {
    if (references === undefined) continue;
    const dangling = session.row(
      query
        .selectFrom(table.name)
        .select((e) => [e.fn.countAll<number>().as('n'), e.fn.min(KEY).as('first')])
        .where(column, 'is not', null)
        .where(column, 'not in', query.selectFrom(references).select(KEY)),
    );
    if (!dangling || dangling.n === 0) continue;
    throw new ServiceError('conflict', {
      detail: `${dangling.n} rows of ${table.name} would refer by ${column} to rows that ${references} does not have; the first has ${KEY} ${dangling.first}. Nothing was imported.`,
      errors: [
        {
          pointer: '/path',
          message: `${table.name}.${column} of the row with ${KEY} ${dangling.first} refers to no row.`,
        },
      ],
    });
  }
}
