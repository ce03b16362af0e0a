import { ENCHANTERS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { clock, config } from '../../shared/ports.ts';
import { archiveName } from './archive-name.ts';
import { robotArchives } from './ports.ts';

/** POST /api/v2/backup/: the whole robot as one file. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  output: { mediaTypes: ['application/gzip'] },
  summary: 'Back up the whole robot',
  description:
    'A `.tar.gz` with the database, the skills, the language model, the description and the mapping, the settings without secrets, and as its last member `manifest.json` with the digest of each. No key is in it. An archive without its manifest broke off on the way. No body.',
  audit: 'backup.create',
  uses: { robotArchives, config, clock },
  errors: ['busy', 'conflict', 'storage_full', 'component_unavailable'],
}).handler(async ({ record }, { robotArchives, config, clock }) => {
  record('backup.create', {});
  const archive = await robotArchives.pack();
  return new Reply(archive, {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${archiveName(config.SERVICE_ROBOT_ID, clock())}"`,
    'cache-control': 'no-store',
  });
});
