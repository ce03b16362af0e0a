import { endpoint } from '../shared/middleware/endpoint.ts';
import { database } from '../shared/ports.ts';
import { ClearedDatabase } from './backup.schema.ts';
import { clearDatabase } from './upkeep.ts';

/** GET /api/{version}/clear_database: deletes all rows of every table, after a snapshot. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  output: ClearedDatabase,
  summary: 'Delete all rows of every table',
  description:
    'A GET with an effect. A snapshot of the database is written first and named in the answer; ADMIN and ENCHANTER can restore it.',
  effects: true,
  audit: 'database.clear',
  uses: { database },
  errors: ['busy', 'storage_full', 'component_unavailable'],
}).handler(({ record }, { database }) => {
  record('database.clear', { table: null });
  return clearDatabase(database);
});
