import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { CreatedBackup } from './backup.schema.ts';
import { database } from './ports.ts';

/** POST /api/v2/database/backups/: takes a snapshot of the database. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  output: CreatedBackup,
  created: true,
  summary: 'Take a snapshot of the database',
  description:
    'Out of one state. Refused when the snapshots of the last 7 days fill SERVICE_BACKUP_MAX_BYTES. No body.',
  audit: 'database.backup',
  uses: { database },
  errors: ['busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ record }, { database }) => {
  record('database.backup', {});
  const backup = await database.snapshot();
  record('database.backup', { backup });
  return { backup };
});
