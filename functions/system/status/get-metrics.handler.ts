import { metrics } from '../../shared/observability/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';

/** GET /metrics: metrics for Prometheus. Public. */
export const handler = endpoint({
  access: 'public',
  summary: 'Metrics in the Prometheus text format',
  output: { mediaTypes: ['text/plain'] },
  uses: { metrics },
}).handler(async (_call, { metrics }) => {
  const { text, contentType } = await metrics.exposition();
  return new Reply(text, { 'content-type': contentType });
});
