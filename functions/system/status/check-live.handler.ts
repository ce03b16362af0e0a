import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Live } from './health.schema.ts';

/** GET /health/live: whether the process responds at all; stays 200 while draining. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Whether the process is up',
  output: Live,
}).handler(() => ({ status: 'live' }));
