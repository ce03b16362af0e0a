import { TextStream } from '../shared/pipeline/byte-stream.schema.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { MAX_CSV_BYTES, uploadCsv } from './csv-tables.ts';
import { database } from './ports.ts';
import { TablePath, UploadedTable, UploadQuery } from './table.schema.ts';

/** PUT /api/v2/database/tables/{table}.csv: puts the rows of a CSV file into a table. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  bodyStream: { mediaType: 'text/csv', maxBytes: MAX_CSV_BYTES },
  input: { path: TablePath, query: UploadQuery, body: TextStream },
  output: UploadedTable,
  summary: 'Upload a table as CSV',
  description:
    'Rows with a known `id` are replaced, others added, and rows that are not in the file stay; all or nothing, after a snapshot. At most 256 MiB. A bad line is 422 `invalid_csv` with its number.',
  audit: 'database.upload',
  uses: { database },
  errors: ['unknown_table', 'invalid_csv', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { path, query, body }, caller, signal, record }, { database }) => {
  record('database.upload', { table: path.table.slice(0, 64), dry_run: query.dry_run });
  return uploadCsv(database, path.table, { body, dryRun: query.dry_run }, { signal, owner: caller.keyId });
});
