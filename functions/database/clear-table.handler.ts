import { endpoint } from '../shared/pipeline/endpoint.ts';
import { ClearedTable } from './backup.schema.ts';
import { TableQuery } from './database.schema.ts';
import { database } from './ports.ts';
import { clearTable } from './upkeep.ts';

/** DELETE /api/{version}/database/clear_table/: deletes all rows of a table, after a snapshot. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { query: TableQuery },
  output: ClearedTable,
  summary: 'Delete all rows of a table',
  description:
    'A snapshot of the database is taken first and named in the response; ADMIN and ENCHANTER can restore it. Nothing cascades.',
  audit: 'database.clear',
  uses: { database },
  errors: ['unknown_table', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { query }, record }, { database }) => {
  record('database.clear', { table: query.tablename.slice(0, 64) });
  return clearTable(database, query.tablename);
});
