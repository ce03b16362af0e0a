import type { JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import { toRadians } from '../angle.ts';
import type { RobotState } from './robot-state.ts';

/** Of the robot whose description the service ships, in metres. */
const WHEEL_RADIUS = 0.07;
const HALF_TRACK = 0.165;

/** How a skill moves the head: pan and tilt in radians, so many seconds after it began. */
const GESTURES: Readonly<Record<string, (seconds: number) => readonly [pan: number, tilt: number]>> = {
  nod: (seconds) => [0, 0.3 * Math.sin(2 * Math.PI * 2 * seconds)],
  bow: (seconds) => [0, 0.5 * Math.sin((Math.PI / 2) * seconds)],
  wave: (seconds) => [0.4 * Math.sin(2 * Math.PI * seconds), 0],
  look_around: (seconds) => [1.2 * Math.sin((2 * Math.PI * seconds) / 5), 0],
  dance: (seconds) => [0.6 * Math.sin(2 * Math.PI * seconds), 0.2 * Math.sin(4 * Math.PI * seconds)],
};

/** What the simulated robot says of itself. */
export function stateOf({ body, battery }: RobotState): ReportedState {
  const { x, y, z, theta } = body.pose();
  const { linear, angular } = body.velocity();
  return {
    pose: { x: rounded(x), y: rounded(y), z: rounded(z), theta: rounded(theta) },
    velocity: { linear: rounded(linear), angular: rounded(angular) },
    battery: battery(),
    moving: body.moving(),
  };
}

/** The joints of its URDF: wheels turn while it drives, the head moves with gestures. */
export function jointsOf({ body, missions }: RobotState): JointsChanged {
  const { metres, degrees } = body.odometer();
  const turned = toRadians(degrees) * HALF_TRACK;
  const moves = missions.currentSteps().flatMap(({ name, seconds }) => {
    const gesture = GESTURES[name];
    return gesture ? [gesture(seconds)] : [];
  });
  const pan = moves.reduce((sum, [each]) => sum + each, 0);
  const tilt = moves.reduce((sum, [, each]) => sum + each, 0);
  return {
    names: ['left_wheel_joint', 'right_wheel_joint', 'head_pan', 'head_tilt'],
    positions: [
      rounded((metres - turned) / WHEEL_RADIUS),
      rounded((metres + turned) / WHEEL_RADIUS),
      rounded(limited(pan, 1.57)),
      rounded(limited(tilt, 0.6)),
    ],
  };
}

function limited(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/** Four decimals are more than sensors have. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
