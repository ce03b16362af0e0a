import { BUILD, BUILT_AT, VERSION } from '../../shared/build-info.ts';
import type { Config } from '../../shared/config.ts';
import { simulatedParts } from '../../shared/simulated-parts.ts';
import type { Disk } from './disk.port.ts';
import type { RobotStanding } from './robot-standing.ts';
import type { Status, StopAddresses } from './status.schema.ts';

interface StatusParts {
  readonly clock: () => number;
  readonly config: Config;
  readonly disk: Disk;
  readonly robotStanding: () => RobotStanding;
  readonly stopAddresses: () => StopAddresses | null;
}

/** Whether the service is up and the robot connected. */
export function currentStatus({ clock, config, disk, robotStanding, stopAddresses }: StatusParts): Status {
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
}
