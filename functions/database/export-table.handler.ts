import { endpoint } from '../shared/pipeline/endpoint.ts';
import { LoadDatabase } from './database.schema.ts';
import { database } from './ports.ts';
import { TransferAnswer } from './transfer.schema.ts';
import { exportTable } from './upkeep.ts';

/** POST /api/{version}/database/export_table/: dumps a table, or every table, as CSV. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: LoadDatabase },
  output: TransferAnswer,
  summary: 'Export a table as CSV',
  description: 'RFC 4180 in UTF-8 with a header line; NULL is an empty field, the empty string `""`.',
  audit: 'database.export',
  uses: { database },
  errors: ['unknown_table', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { body }, caller, signal, record }, { database }) => {
  record('database.export', { table: body.tablename.slice(0, 64) || null, path: body.path.slice(0, 256) });
  return exportTable(database, body, { signal, owner: caller.keyId });
});
