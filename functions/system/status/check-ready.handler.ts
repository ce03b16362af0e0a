import { endpoint } from '../../shared/middleware/endpoint.ts';
import { lifecycle, readiness } from '../../shared/ports.ts';
import { Ready } from './health.schema.ts';
import { readinessOf } from './health.ts';

/** GET /health/ready: 200 when every part works, else 503 naming those that do not. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Whether every part of the service is ready',
  description: 'When a part is not ready the problem carries the member `parts` with the state of each.',
  output: Ready,
  uses: { readiness, lifecycle },
  errors: ['component_unavailable'],
}).handler((_call, { readiness, lifecycle }) => readinessOf(readiness, lifecycle));
