import { endpoint } from '../shared/pipeline/endpoint.ts';
import { LoadDatabase } from './database.schema.ts';
import { database } from './ports.ts';
import { TransferAnswer } from './transfer.schema.ts';
import { importTable } from './upkeep.ts';

/** POST /api/{version}/database/import_table/: loads CSV into a table, or every table. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: LoadDatabase },
  output: TransferAnswer,
  summary: 'Import a table from CSV',
  description: 'Rows with a known `id` are replaced, others added; all or nothing. A file may have at most 256 MiB.',
  audit: 'database.import',
  uses: { database },
  errors: [
    'unknown_table',
    'not_found',
    'invalid_csv',
    'file_too_large',
    'conflict',
    'busy',
    'storage_full',
    'component_unavailable',
  ],
}).handler(({ valid: { body }, caller, signal, record }, { database }) => {
  record('database.import', { table: body.tablename.slice(0, 64) || null, path: body.path.slice(0, 256) });
  return importTable(database, body, { signal, owner: caller.keyId });
});
