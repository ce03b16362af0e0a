import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { RestoredDatabase, RestoreRequest } from './backup.schema.ts';
import { database } from './ports.ts';
import { restoreBackup } from './upkeep.ts';

/** POST /api/{version}/database/restore/: puts a snapshot in place of every table's rows. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  input: { body: RestoreRequest },
  output: RestoredDatabase,
  summary: 'Restore a snapshot of the database',
  description: 'Takes a snapshot of the present data first. One transaction: every table is restored, or none.',
  audit: 'database.restore',
  uses: { database },
  errors: ['not_found', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { body }, caller, signal, record }, { database }) => {
  record('database.restore', { backup: body.backup });
  return restoreBackup(database, body.backup, { signal, owner: caller.keyId });
});
