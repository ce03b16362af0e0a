import type { RobotLink, Robots } from '../../shared/robot-link/port.ts';
import type { Status } from './status.schema.ts';

/** The status of the robot, or of the robots of a fleet. */
export interface RobotStanding extends Pick<Status, 'robot' | 'robot_link' | 'estop'> {
  readonly robot_problem: string | undefined;
  readonly robot_notes: string[];
}

export function standingOfRobot(link: RobotLink): RobotStanding {
  return {
    robot: link.connected() ? 'connected' : 'disconnected',
    robot_link: link.kind,
    robot_problem: link.problem?.(),
    robot_notes: [...(link.notes?.() ?? [])],
    estop: link.emergencyStop?.()?.state,
  };
}

/** The host of a fleet has no robot of its own. */
export function standingOfFleet(robots: Robots): RobotStanding {
  return {
    robot: robots.connected() ? 'connected' : 'disconnected',
    robot_link: 'fleet',
    robot_problem: undefined,
    robot_notes: [
      'This is the host of a fleet: "robot" says whether the broker of its robots is connected. GET /api/v2/robots/ lists them.',
    ],
  };
}

/** Without a token the robot is not opened, so its state is unknown. */
export const STANDING_WITHOUT_TOKEN: RobotStanding = {
  robot: 'unknown',
  robot_link: 'mqtt',
  robot_problem: undefined,
  robot_notes: ['Send a token for this robot in the Authorization header to learn whether it is connected.'],
};
