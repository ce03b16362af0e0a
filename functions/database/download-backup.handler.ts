import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { BackupPath } from './backup.schema.ts';
import { snapshotFiles } from './ports.ts';

/** GET /api/v2/database/backups/{name}: a snapshot as a file. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  input: { path: BackupPath },
  output: { mediaTypes: ['application/vnd.sqlite3'] },
  summary: 'Download a snapshot of the database',
  description: 'One SQLite file, which any program that reads SQLite can open.',
  audit: 'database.download_backup',
  uses: { snapshotFiles },
  errors: ['not_found', 'component_unavailable'],
}).handler(async ({ valid: { path }, record }, { snapshotFiles }) => {
  record('database.download_backup', { backup: path.name });
  const { size, body } = await snapshotFiles.open(path.name);
  return new Reply(body, {
    'content-type': 'application/vnd.sqlite3',
    'content-length': String(size),
    'content-disposition': `attachment; filename="${path.name}"`,
  });
});
