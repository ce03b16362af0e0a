import type { Readable } from 'node:stream';
import { ServiceError } from '../shared/errors.ts';
import { KEY } from './column.ts';
import { tableNamed } from './items.ts';
import type { Requester, RobotDatabase, RowStream } from './port.ts';
import type { TableList, Uploaded } from './table.schema.ts';
import { TABLES, type Table, type TableName } from './tables.ts';

/** Largest file that is imported: 256 MiB. */
export const MAX_CSV_BYTES = 256 * 1024 * 1024;

/** Every table with its columns, parents first. */
export async function listTables(database: RobotDatabase): Promise<TableList> {
  const rows = await database.counts();
  return {
    tables: TABLES.map((table) => ({ name: table.name, rows: rows[table.name] ?? 0, columns: columnsOf(table) })),
  };
}

function columnsOf({ columns }: Table): TableList['tables'][number]['columns'] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    type: column.kind,
    nullable: column.nullable,
    default: column.default ?? null,
    references: column.references === undefined ? null : { table: column.references, column: KEY },
  }));
}

/** A table as CSV, as it is taken. Errors: unknown_table, busy. */
export async function readCsv(
  database: RobotDatabase,
  tablename: string,
  requester: Requester,
): Promise<RowStream & { readonly name: TableName }> {
  const { name } = tableNamed(tablename);
  return { name, ...(await database.readCsv(name, requester)) };
}

interface CsvUpload {
  readonly body: Readable;
  readonly dryRun: boolean;
}

/** Puts the rows of a CSV file into a table. Errors: unknown_table, and those of {@link RobotDatabase.uploadCsv}. */
export async function uploadCsv(
  database: RobotDatabase,
  tablename: string,
  { body, dryRun }: CsvUpload,
  requester: Requester,
): Promise<Uploaded> {
  try {
    return await database.uploadCsv(tableNamed(tablename).name, body, { dryRun, ...requester });
  } catch (error) {
    throw aboutBody(error);
  }
}

/** A file in the export folder is blamed by its path; here the whole body is the file. */
function aboutBody(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !error.errors?.some(({ pointer }) => pointer === '/path')) return error;
  const { code, message, headers, cause } = error;
  const errors = error.errors.map((fault) => (fault.pointer === '/path' ? { ...fault, pointer: '' } : fault));
  return new ServiceError(code, { detail: message, errors, headers, cause });
}
