import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CsvError } from 'csv-parse';
import { ServiceError } from '../../../shared/errors.ts';
import { KEY } from '../../column.ts';
import type { Selection, Transferred } from '../../port.ts';
import { columnNames, type Table } from '../../tables.ts';
import type { Writing } from './clear.ts';
import { invalidCsv, openCsv, vetted } from './csv-file.ts';
import { dialectOf, recordParser } from './csv-parser.ts';
import { RecordReader } from './csv-record.ts';
import { type CsvFile, csvFiles } from './export-path.ts';
import { alignSequences } from './ids.ts';
import { described } from './rows.ts';
import { query, type Session } from './session.ts';
import type { LogKeeper } from './write-ahead-log.ts';

type RoomCheck = ReturnType<LogKeeper['roomForImport']>;

/**
 * Reads the selected tables' files, all in one transaction, references checked at its end. Rows with a known key are
 * replaced, others added. Errors: validation_failed, not_found, file_too_large, invalid_csv (line, column and reason of
 * the first bad line), conflict (dangling references), storage_full; nothing is changed then.
 */
export async function importTables(
  { session, storage, log }: Writing,
  selection: Selection,
  path: string,
  signal: AbortSignal,
): Promise<Transferred[]> {
  const opened: Array<CsvFile & { handle: FileHandle }> = [];
  try {
    for (const file of csvFiles(storage.exportDir, selection, path, 'read'))
      opened.push({ ...file, handle: await openCsv(file) });
    const requireRoom = log.roomForImport();
    return await session.transaction(async () => {
      session.database.pragma('defer_foreign_keys = ON');
      const done: Transferred[] = [];
      for (const { table, path, handle } of opened) {
        const { rows } = await importFile({ session, requireRoom }, described(table), path, handle, signal);
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

/** Reads one file in the caller's transaction. @returns what it held, and how many rows it changed. */
export async function importFile(
  { session, requireRoom }: { session: Session; requireRoom: RoomCheck },
  table: Table,
  path: string,
  handle: FileHandle,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly changed: number }> {
  const { delimiter, start, line } = await dialectOf(handle);
  const reader = new RecordReader(session, table, path, line);
  const parser = recordParser(delimiter, (record) => reader.take(record));
  try {
    const chunks = (bytes: AsyncIterable<Buffer>) => whileThereIsRoom(vetted(bytes, path), reader, requireRoom);
    await pipeline(handle.createReadStream({ start, autoClose: false }), chunks, parser, { signal });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidCsv({
      path,
      line: reader.line,
      reason: `it is not RFC 4180 (${error.code}): a field that contains a quote must be quoted, and the quote doubled`,
      cause: error,
    });
  }
  reader.end();
  return { rows: reader.rows, changed: reader.changed };
}

/** Passes the file on while there is space for what was read so far. Error: storage_full. */
async function* whileThereIsRoom(chunks: AsyncIterable<Buffer>, reader: RecordReader, requireRoom: RoomCheck) {
  let checked = 0;
  for await (const chunk of chunks) {
    yield chunk;
    requireRoom(reader.rows - checked, chunk.length);
    checked = reader.rows;
  }
}

/** Error: conflict, naming the first row that refers to nothing. */
export function requireReferences(session: Session, table: Table): void {
  for (const column of columnNames(table)) {
    const references = table.columns[column]?.references;
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
