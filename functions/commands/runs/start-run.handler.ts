import { leases } from '../../shared/control/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { runs } from '../../shared/runs/ports.ts';
import { Run } from '../../shared/runs/run.schema.ts';
import { StartRun } from './runs.schema.ts';

/** POST /api/v2/runs/: starts a function of a skill. Any valid token that the function's decorator allows. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Run a skill',
  description:
    'Answers 201 before the process of the run starts: whatever goes wrong then is a state of the run. Its id is also the id of a mission, for the commands that wait for missions or cancel them. Starting a run is no motion.',
  input: { body: StartRun },
  commandBody: true,
  exactIntegers: true,
  created: true,
  output: Run,
  audit: 'run.start',
  uses: { runs, leases },
  errors: [
    'skill_not_found',
    'insufficient_access',
    'busy',
    'stopped',
    'lease_held',
    'lease_lost',
    'storage_full',
    'component_unavailable',
  ],
}).handler(async ({ caller, valid: { body }, signal, record }, { runs, leases }) => {
  const since = runs.stops;
  record('run.start', { skill: body.skill, ...(body.function !== undefined && { function: body.function }) });
  if (body.lease !== undefined) leases.holding(body.lease, caller.clientId);
  const { timeout_s: timeoutS, ...request } = body;
  const run = await runs.start({ ...request, timeoutS, since }, caller, signal);
  record('run.start', { run: run.id, skill: run.skill, function: run.function });
  return new Reply(JSON.stringify(run.seenBy(caller)), { 'content-type': 'application/json' }, 201);
});
