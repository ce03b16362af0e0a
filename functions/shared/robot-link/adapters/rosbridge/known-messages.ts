import type { JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json.ts';
import { normalizeDegrees, toDegrees } from '../angle.ts';
import { yawOf } from './filters.ts';
import { plainType } from './mapping-parts.schema.ts';
import { reach } from './template.ts';

/** Reads a message; returns nothing if it does not have the form of its type. */
export type ReadState = (message: JsonValue) => Readonly<Record<string, unknown>>;

const ODOMETRY_NUMBERS = [
  ...['x', 'y', 'z'].map((axis) => `pose.pose.position.${axis}`),
  ...['x', 'y', 'z', 'w'].map((part) => `pose.pose.orientation.${part}`),
  ...['twist.twist.linear.x', 'twist.twist.angular.z'],
];
/** sensor_msgs/BatteryState */
const [UNKNOWN, CHARGING] = [0, 1];
/** A fraction may slightly exceed 1. */
const MAX_FRACTION = 1.5;

/**
 * Reads messages of a known type.
 * @param tolerance speed up to which the robot counts as standing still, in m/s and rad/s.
 */
export function stateReader(type: string, tolerance: number): ReadState | undefined {
  if (plainType(type) === 'nav_msgs/Odometry') return (message) => readOdometry(message, tolerance);
  return plainType(type) === 'sensor_msgs/BatteryState' ? batteryReader() : undefined;
}

/** The first number that an Odometry should have and has not. */
export function odometryProblem(message: JsonValue): string | undefined {
  const missing = ODOMETRY_NUMBERS.find((path) => typeof reach(message, path.split('.')) !== 'number');
  return missing === undefined ? undefined : `it has no number ${missing}`;
}

/** nav_msgs/Odometry */
function readOdometry(message: JsonValue, tolerance: number): Pick<ReportedState, 'pose' | 'velocity' | 'moving'> {
  const [x, y, z] = numbersAt(message, 'pose.pose.position', ['x', 'y', 'z']);
  const orientation = reach(message, ['pose', 'pose', 'orientation']);
  const yaw = isJsonObject(orientation) ? yawOf(orientation) : undefined;
  const [vx, vy = 0] = numbersAt(message, 'twist.twist.linear', ['x', 'y']);
  const [turn] = numbersAt(message, 'twist.twist.angular', ['z']);
  const hasPose = x !== undefined && y !== undefined && z !== undefined && yaw !== undefined;
  const hasVelocity = vx !== undefined && turn !== undefined;
  const speed = hasVelocity ? Math.hypot(vx, vy) : 0;
  return {
    ...(hasPose && { pose: { x, y, z, theta: normalizeDegrees(yaw) } }),
    ...(hasVelocity && {
      velocity: { linear: vx < -Math.abs(vy) ? -speed : speed, angular: toDegrees(turn) },
      moving: speed > tolerance || Math.abs(turn) > tolerance,
    }),
  };
}

/** `percentage` should be a fraction of 1, but many drivers send percent. A driver that did so once always does. */
function batteryReader(): ReadState {
  let inPercent = false;
  return (message) => {
    const { percentage, power_supply_status: status } = objectOf(message);
    if (typeof percentage !== 'number') return {}; // not measured: NaN, which JSON cannot represent
    inPercent ||= percentage > MAX_FRACTION;
    const level = inPercent ? percentage : Math.min(1, percentage) * 100;
    const saysCharging = typeof status === 'number' && status !== UNKNOWN;
    return { battery: { level, ...(saysCharging && { charging: status === CHARGING }) } };
  };
}

/** sensor_msgs/JointState */
export function readJointState(message: JsonValue): { names: JsonValue; positions: JsonValue } {
  const { name = [], position = [] } = objectOf(message);
  return { names: name, positions: position };
}

/** The joints that have both a name and a position, from lists in the same order. */
export function pairJoints(names: JsonValue | undefined, positions: JsonValue | undefined): JointsChanged {
  const pairs = Array.isArray(names) && Array.isArray(positions) ? names.map((name, at) => [name, positions[at]]) : [];
  const valid = pairs.filter(
    (pair): pair is [string, number] => typeof pair[0] === 'string' && Number.isFinite(pair[1]),
  );
  return { names: valid.map(([name]) => name), positions: valid.map(([, position]) => position) };
}

function numbersAt(message: JsonValue, path: string, members: readonly string[]): Array<number | undefined> {
  const holder = objectOf(reach(message, path.split('.')));
  return members.map((member) => {
    const value = holder[member];
    return typeof value === 'number' ? value : undefined;
  });
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
