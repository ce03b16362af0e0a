import * as z from 'zod';
import { Milliseconds, Name, plainType, Template, Throttle, Type } from './mapping-parts.schema.ts';

/** Types that need no `values`. */
const KNOWN_STATE: ReadonlySet<string> = new Set(['nav_msgs/Odometry', 'sensor_msgs/BatteryState']);
const KNOWN_JOINTS: ReadonlySet<string> = new Set(['sensor_msgs/JointState']);
/** Longest watchdog timeout of a base that may be driven manually, in ms. */
export const MAX_WATCHDOG_MS = 500;

const Told = {
  topic: Name,
  type: Type,
  /** Reports older than this are ignored. */
  max_age_ms: Milliseconds.optional(),
  throttle_ms: Throttle.optional(),
};

/** A topic with the state of the robot. `values` builds the members of the state from `$message`. */
export const StateReport = z
  .strictObject({
    ...Told,
    values: z
      .strictObject({
        pose: Template.optional(),
        velocity: Template.optional(),
        battery: Template.optional(),
        moving: Template.optional(),
        power: Template.optional(),
      })
      .optional(),
  })
  .refine(({ type, values }) => values || KNOWN_STATE.has(plainType(type)), {
    error: `\`values\` is needed: only ${[...KNOWN_STATE].join(' and ')} are understood without`,
    path: ['type'],
  });

/** A topic with the positions of the joints. */
export const JointsReport = z
  .strictObject({ ...Told, values: z.strictObject({ names: Template, positions: Template }).optional() })
  .refine(({ type, values }) => values || KNOWN_JOINTS.has(plainType(type)), {
    error: `\`values\` is needed: only ${[...KNOWN_JOINTS].join(' and ')} are understood without`,
    path: ['type'],
  });

/** The topic that reports, at least once a second, whether the emergency stop is engaged. */
export const EmergencyStopReport = z
  .strictObject({ topic: Name, type: Type, engaged: Template.optional(), throttle_ms: Throttle.default(0) })
  .refine(({ type, engaged }) => engaged !== undefined || plainType(type) === 'std_msgs/Bool', {
    error: '`engaged` is needed: only std_msgs/Bool is understood without',
    path: ['type'],
  });

/** Manual driving, only available if the robot has a watchdog of at most 500 ms. */
export const JogTopic = z
  .strictObject({
    topic: Name,
    type: Type,
    frame_id: z.string().max(255).optional(),
    watchdog_ms: Milliseconds.optional(),
    max_linear: z.number().positive().optional(),
    max_angular: z.number().positive().optional(),
  })
  .superRefine(({ type, frame_id }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const isStamped = plainType(type) === 'geometry_msgs/TwistStamped';
    if (!isStamped && plainType(type) !== 'geometry_msgs/Twist') {
      refuse('type', 'velocities are geometry_msgs/Twist or geometry_msgs/TwistStamped');
    }
    if (!isStamped && frame_id !== undefined) refuse('frame_id', 'only a TwistStamped has a frame');
  });

export type EmergencyStopEntry = z.output<typeof EmergencyStopReport>;
export type JogEntry = z.output<typeof JogTopic>;
