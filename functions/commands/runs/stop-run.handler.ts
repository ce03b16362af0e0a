import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { runs } from '../../shared/runs/ports.ts';
import { Run } from '../../shared/runs/run.schema.ts';
import { assertMayRun } from '../../shared/runs/run-request.ts';
import { RunPath } from './runs.schema.ts';

/** POST /api/v2/runs/{run_id}/stop: ends a run. Any valid token that may start it. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'End a run of a skill',
  description:
    'Answers at once, with the state `stopping`. The run is told, has 2 s, and is then killed with everything it started. The robot goes on with what it is doing: POST /api/v2/stop stops the robot and ends every run.',
  input: { path: RunPath },
  output: Run,
  audit: 'run.stop',
  uses: { runs },
  errors: ['not_found', 'insufficient_access', 'component_unavailable'],
}).handler(({ caller, valid, record }, { runs }) => {
  const run = runs.get(valid.path.run_id);
  record('run.stop', { run: run.id, skill: run.skill, function: run.function });
  assertMayRun({ name: run.function, accessLevel: run.accessLevel }, caller.accessLevel);
  return runs.stop(run.id).seenBy(caller);
});
