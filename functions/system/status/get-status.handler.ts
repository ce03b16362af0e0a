import { BUILD, BUILT_AT, VERSION } from '../../shared/build-info.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { clock, config } from '../../shared/ports.ts';
import { simulatedParts } from '../../shared/simulated-parts.ts';
import { disk, robotStanding, stopAddresses } from './ports.ts';
import { Status } from './status.schema.ts';

/** GET /status: whether the service is up and the robot connected. Public; clients poll it before they authenticate. */
export const handler = endpoint({
  access: 'public',
  perRobot: true,
  tokenOpensRobot: true,
  summary: 'Whether the service is up and the robot connected',
  description:
    'Under the path of a robot in a fleet, whether it is connected is only known to callers with a token for it; else `robot` is `unknown`.',
  output: Status,
  uses: { clock, config, disk, robotStanding, stopAddresses },
}).handler((_call, { clock, config, disk, robotStanding, stopAddresses }) => {
  const { robot, robot_link, robot_problem, robot_notes, estop } = robotStanding();
  const usage = disk.usage();
  const now = clock();
  return {
    status: 'ok',
    version: VERSION,
    build: BUILD,
    robot_id: config.SERVICE_ROBOT_ID,
    name: config.SERVICE_ROBOT_NAME,
    mode: config.SERVICE_MODE,
    robot,
    robot_link,
    ...(robot_problem === undefined ? {} : { robot_problem }),
    ...(robot_notes.length === 0 ? {} : { robot_notes }),
    ...(estop === undefined ? {} : { estop }),
    simulated: simulatedParts(config),
    ...(usage === undefined ? {} : { disk: usage }),
    clock: { time: new Date(now).toISOString(), ok: now >= BUILT_AT },
    stop: stopAddresses(),
    uptime_seconds: Math.round(process.uptime()),
  };
});
