import { OPERATORS } from '../shared/access.ts';
import { ByteStream } from '../shared/pipeline/byte-stream.schema.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { BackupPath, Snapshot } from './backup.schema.ts';
import { snapshotFiles } from './ports.ts';

/** Largest snapshot that is taken in: 2 GiB. */
const MAX_BACKUP_BYTES = 2 * 1024 ** 3;

/** PUT /api/v2/database/backups/{name}: takes a snapshot in, to be restored later. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  bodyStream: { mediaType: 'application/vnd.sqlite3', maxBytes: MAX_BACKUP_BYTES },
  input: { path: BackupPath, body: ByteStream },
  output: Snapshot,
  created: true,
  summary: 'Upload a snapshot of the database',
  description:
    'Nothing is restored by it. It is checked by another process, for 30 s at most: one that is damaged, newer, or of another service, or that has views, triggers or further tables, is 422 `backup_invalid`. A name that exists is 409.',
  audit: 'database.upload_backup',
  uses: { snapshotFiles },
  errors: ['already_exists', 'backup_invalid', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { path, body }, caller, signal, record }, { snapshotFiles }) => {
  record('database.upload_backup', { backup: path.name });
  return snapshotFiles.receive(path.name, body, { signal, owner: caller.keyId });
});
