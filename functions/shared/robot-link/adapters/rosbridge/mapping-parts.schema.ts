import * as z from 'zod';
import type { JsonValue } from '../../../kit/json.ts';

/** What every part of a mapping is made of. */
export const Name = z
  .string()
  .max(255)
  .regex(/^\/?[A-Za-z][A-Za-z0-9_]*(\/[A-Za-z0-9_]+)*$/, 'a ROS name, /cmd_vel for instance');
export const Type = z
  .string()
  .max(255)
  .regex(
    /^[A-Za-z][A-Za-z0-9_]*(\/(msg|srv|action))?\/[A-Za-z][A-Za-z0-9_]*$/,
    'a ROS type, std_msgs/msg/Bool for instance',
  );
export const Milliseconds = z.int().min(1).max(600_000);
/** Least time between two messages, in ms. */
export const Throttle = z.int().min(0).max(600_000);
export const Template: z.ZodType<JsonValue> = z.json();

/** A type without its middle part, as ROS 1 writes it: one notation for both generations. */
export function plainType(type: string): string {
  const parts = type.split('/');
  return `${parts[0]}/${parts.at(-1)}`;
}
