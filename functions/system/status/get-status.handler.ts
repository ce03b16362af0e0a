import { VERSION } from '../../shared/build-info.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { config, robotLink } from '../../shared/ports.ts';
import { simulatedParts } from '../../shared/simulated-parts.ts';
import { Status } from './status.schema.ts';

/** GET /status: that the service is up, and whether the robot is connected. Public; clients poll it before they authenticate. */
export const handler = endpoint({
  access: 'public',
  summary: 'Whether the service is up and the robot connected',
  output: Status,
  uses: { config, robotLink },
}).handler((_call, { config, robotLink }) => {
  const problem = robotLink.problem?.();
  const notes = robotLink.notes?.() ?? [];
  return {
    status: 'ok',
    version: VERSION,
    mode: config.SERVICE_MODE,
    robot: robotLink.connected() ? 'connected' : 'disconnected',
    robot_link: robotLink.kind,
    ...(problem === undefined ? {} : { robot_problem: problem }),
    ...(notes.length === 0 ? {} : { robot_notes: notes }),
    simulated: simulatedParts(config),
    uptime_seconds: Math.round(process.uptime()),
  };
});
