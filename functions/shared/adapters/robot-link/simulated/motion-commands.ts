import type { JsonValue } from '../../../json.ts';
import type { Body } from './body.ts';
import { FLOOR_METRES } from './body.ts';
import { action, type CommandRow, query } from './command-row.ts';

const MOTION = { motion: true } as const;
const PERCENT = { bounds: { minimum: 0, maximum: 100 }, unit: '%' } as const;

/** Where the robot is and where it goes. */
export const MOTION_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_pose', 'Pose in metres and degrees', ({ body }) => ({ ...body.pose(), moving: body.moving() })),
  action(
    'coordinates',
    'go_to_absolute',
    'Go to a pose on the map',
    ({ body }, target) => report(body, body.goTo(target)),
    MOTION,
  ),
  action(
    'coordinates',
    'go_to_relative',
    'Go by so much, seen from where the robot stands',
    ({ body }, offset) => report(body, body.goBy(offset)),
    MOTION,
  ),
  action(
    'float',
    'set_robot_max_velocity',
    'Set the maximum velocity',
    ({ body }, percent) => {
      body.setMaxVelocity(percent);
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

function report(body: Body, accepted: boolean): JsonValue {
  if (!accepted)
    return { accepted, msg: `The target lies off the floor, which ends ${FLOOR_METRES} m from its origin` };
  const seconds = body.secondsLeft();
  return { accepted, arrives_in_seconds: Number.isFinite(seconds) ? Math.round(seconds * 1000) / 1000 : null };
}
