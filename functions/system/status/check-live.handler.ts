import { endpoint } from '../../shared/middleware/endpoint.ts';
import { Live } from './health.schema.ts';

/** GET /health/live: that the process answers at all; stays 200 while it drains. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Whether the process is up',
  output: Live,
}).handler(() => ({ status: 'live' }));
