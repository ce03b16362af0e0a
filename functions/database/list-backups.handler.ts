import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Backups } from './backup.schema.ts';
import { database } from './ports.ts';
import { listBackups } from './upkeep.ts';

/** GET /api/{version}/database/backups/: the snapshots, newest first. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  output: Backups,
  summary: 'List the snapshots of the database',
  uses: { database },
  errors: ['component_unavailable'],
}).handler((_call, { database }) => listBackups(database));
