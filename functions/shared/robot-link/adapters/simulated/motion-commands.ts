import { Replaced, type RobotAnswer, type Sender } from '../../port.ts';
import type { Pose } from './body.ts';
import { action, type CommandRow, query } from './command-row.ts';
import type { RobotState } from './robot-state.ts';

const MOTION = { motion: true } as const;
const DRIVE = { motion: true, replaces: true } as const;
const PERCENT = { bounds: { minimum: 0, maximum: 100 }, unit: '%' } as const;

/** Where the robot is and where it goes. */
export const MOTION_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_pose', 'Pose in metres and degrees', ({ body }) => ({ ...body.pose(), moving: body.moving() })),
  action(
    'coordinates',
    'go_to_absolute',
    'Go to a pose on the map',
    (robot, target, { sender }) => drive(robot, target, sender),
    DRIVE,
  ),
  action(
    'coordinates',
    'go_to_relative',
    'Go by so much, seen from where the robot stands',
    (robot, offset, { sender }) => drive(robot, robot.body.poseAt(offset), sender),
    DRIVE,
  ),
  action(
    'float',
    'set_robot_max_velocity',
    'Set the maximum velocity',
    ({ body, missions }, percent) => {
      body.setMaxVelocity(percent);
      missions.drive();
      return { max_velocity: percent };
    },
    { ...PERCENT, ...MOTION },
  ),
  action(
    'bool',
    'set_obstacle_avoidance',
    'Turn obstacle avoidance on or off',
    ({ settings }, on) => {
      settings.obstacleAvoidance = on;
      return { obstacle_avoidance: on };
    },
    MOTION,
  ),
  action(
    'none',
    'exit_arms_collision',
    'Move colliding arms apart',
    () => ({ exited: true, msg: 'No arms collide' }),
    MOTION,
  ),
];

/** Drives to a pose instead of to the previous target. A drive that is declined leaves the one under way alone. */
function drive({ body, missions }: RobotState, target: Pose, sender: Sender): RobotAnswer {
  const problem = body.problemOf(target);
  if (problem !== undefined) return { called: false, msg: problem, accepted: false };
  const seconds = Math.round(body.secondsTo(target) * 1000) / 1000;
  const { drive, replaced } = missions.driveTo(target, body, sender);
  const result = { called: true, msg: drive.id, accepted: true, arrives_in_seconds: seconds };
  return replaced ? new Replaced(result) : result;
}
