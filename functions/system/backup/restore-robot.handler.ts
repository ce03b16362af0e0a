import { Readable } from 'node:stream';
import { ENCHANTERS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { RestoreBody, RestoreByName, RestoredRobot, RestoreQuery } from './backup.schema.ts';
import { robotArchives } from './ports.ts';

/** Most that is taken in; the room on the disk is less. */
const MAX_ARCHIVE_BYTES = 2 ** 40;

/** POST /api/v2/backup/restore: puts an archive of a whole robot in place of what is here. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  bodyStream: { mediaType: 'application/gzip', maxBytes: MAX_ARCHIVE_BYTES, json: RestoreByName },
  input: { query: RestoreQuery, body: RestoreBody },
  output: RestoredRobot,
  summary: 'Restore the whole robot',
  description:
    'From an archive as the body, or by the name of one that an earlier restore has kept. Everything is checked before anything is touched: 422 `archive_invalid`. Parts that the archive does not have stay. All of it or nothing, also if the power fails. Meanwhile writes wait for up to 5 s and are then 409 `busy`. What was there is kept as an archive, the newest two. Settings are not applied, and keys stay as they are. 409 `conflict` for a newer schema of the database, and for another robot without `adopt`; 409 `busy` while a lease is fresh or anything moves.',
  audit: 'backup.restore',
  uses: { robotArchives },
  errors: ['archive_invalid', 'conflict', 'busy', 'not_found', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { query, body }, signal, record }, { robotArchives }) => {
  const { dry_run: dryRun, adopt } = query;
  const about = { ...(body instanceof Readable ? {} : { name: body.name }), dry_run: dryRun, adopt };
  record('backup.restore', about);
  const restored = await robotArchives.restore(body, { dryRun, adopt, signal });
  record('backup.restore', { ...about, restored: [...restored.restored], backup: restored.backup });
  return restored;
});
