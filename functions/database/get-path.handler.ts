import { maskUrl } from '../shared/observability/mask-url.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { config } from '../shared/ports.ts';
import { DatabasePath } from './transfer.schema.ts';

/** GET /api/{version}/database/get_path/: the database connection URL, a password in it masked. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  output: DatabasePath,
  summary: 'The database connection URL',
  uses: { config },
}).handler((_call, { config }) => ({ path: maskUrl(config.SERVICE_DATABASE_URL) }));
