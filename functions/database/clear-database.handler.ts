import { endpoint } from '../shared/pipeline/endpoint.ts';
import { ClearedDatabase } from './backup.schema.ts';
import { database } from './ports.ts';
import { clearDatabase } from './upkeep.ts';

/** GET /api/{version}/clear_database: deletes all rows of every table, after a snapshot. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  output: ClearedDatabase,
  summary: 'Delete all rows of every table',
  description:
    'A GET with an effect. A snapshot of the database is taken first and named in the response; ADMIN and ENCHANTER can restore it.',
  effects: 'all',
  audit: 'database.clear',
  uses: { database },
  errors: ['busy', 'storage_full', 'component_unavailable'],
}).handler(({ record }, { database }) => {
  record('database.clear', { table: null });
  return clearDatabase(database);
});
