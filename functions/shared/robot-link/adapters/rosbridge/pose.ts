import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json.ts';
import { toRadians } from '../angle.ts';
import { yawOf } from './filters.ts';
import { refusal } from './services.ts';
import { reach } from './template.ts';

/**
 * Coordinates relative to a pose that the robot has reported (geometry_msgs/Pose at `pose` in its message), as
 * coordinates in the frame of that message. They are not finite when the offset is too large.
 * @throws ServiceError `robot_error` when there is no pose.
 */
export function fromHere(offset: JsonObject, message: JsonValue, pose: string): { target: JsonObject; frame: string } {
  const position = reach(message, `${pose}.position`.split('.'));
  const orientation = reach(message, `${pose}.orientation`.split('.'));
  const frame = reach(message, ['header', 'frame_id']);
  const here = isJsonObject(position) ? numbersOf(position) : undefined;
  const heading = isJsonObject(orientation) ? yawOf(orientation) : undefined;
  const by = numbersOf(offset);
  if (!here || !by || heading === undefined || !Object.values({ ...here, heading }).every(Number.isFinite))
    throw refusal(`The robot tells no pose at "${pose}"`);
  const [cos, sin] = [Math.cos(toRadians(heading)), Math.sin(toRadians(heading))];
  const target = {
    x: here.x + by.x * cos - by.y * sin,
    y: here.y + by.x * sin + by.y * cos,
    z: here.z + by.z,
    theta: heading + (typeof offset.theta === 'number' ? offset.theta : 0),
  };
  return { target, frame: typeof frame === 'string' ? frame : '' };
}

function numbersOf({ x, y, z }: JsonObject): { x: number; y: number; z: number } | undefined {
  return typeof x === 'number' && typeof y === 'number' && typeof z === 'number' ? { x, y, z } : undefined;
}
