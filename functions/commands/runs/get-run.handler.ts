import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { runs } from '../../shared/runs/ports.ts';
import { Run } from '../../shared/runs/run.schema.ts';
import { RunPath } from './runs.schema.ts';

/** GET /api/v2/runs/{run_id}: one run. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read a run of a skill',
  input: { path: RunPath },
  output: Run,
  uses: { runs },
  errors: ['not_found', 'component_unavailable'],
}).handler(({ caller, valid }, { runs }) => runs.get(valid.path.run_id).seenBy(caller));
