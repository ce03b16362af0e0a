import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { runs } from '../../shared/runs/ports.ts';
import { RunList } from '../../shared/runs/run.schema.ts';

/** GET /api/v2/runs/: the last 100 runs. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'List the last 100 runs of skills, newest first',
  output: RunList,
  uses: { runs },
  errors: ['component_unavailable'],
}).handler(({ caller }, { runs }) => ({ runs: runs.list().map((run) => run.seenBy(caller)) }));
