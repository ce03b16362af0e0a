import { endpoint } from '../../shared/middleware/endpoint.ts';
import { Reply } from '../../shared/middleware/reply.ts';
import { metrics } from '../../shared/ports.ts';

/** GET /metrics: what the service has counted, for Prometheus. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Metrics in the Prometheus text format',
  output: { mediaTypes: ['text/plain'] },
  uses: { metrics },
}).handler(async (_call, { metrics }) => {
  const { text, contentType } = await metrics.exposition();
  return new Reply(text, { 'content-type': contentType });
});
