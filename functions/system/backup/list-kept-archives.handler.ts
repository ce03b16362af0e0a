import { ENCHANTERS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { KeptArchives } from './backup.schema.ts';
import { robotArchives } from './ports.ts';

/** GET /api/v2/backup/: what restores have replaced. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  output: KeptArchives,
  summary: 'List the archives that restores have kept',
  description: 'Of the whole robot, as it was before each of the last two restores. A restore takes their names.',
  uses: { robotArchives },
}).handler((_call, { robotArchives }) => ({ backups: robotArchives.list() }));
