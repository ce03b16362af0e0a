import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Ready } from './health.schema.ts';
import { readinessOf } from './health.ts';
import { lifecycle, readiness } from './ports.ts';

/** GET /health/ready: 200 if all parts work, otherwise 503 with those that do not. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Whether every part of the service is ready',
  description: 'If a part is not ready, the problem has the member `parts` with the state of each.',
  output: Ready,
  uses: { readiness, lifecycle },
  errors: ['component_unavailable'],
}).handler((_call, { readiness, lifecycle }) => readinessOf(readiness, lifecycle));
