import * as z from 'zod';
import { JointsChanged, ReportedState, RobotFrames, RobotPose } from '../../../events/data.schema.ts';
import { isJsonObject, jsonPointer } from '../../../kit/json.ts';
import { messagesFor } from '../../../pipeline/issue-messages.ts';
import { parse } from './messages.ts';
import { MAX_TEXT_LENGTH } from './presence.ts';

/** Maximum number of frames in a pose, of joints, and of skills in a mission. */
const MAX_FRAMES = 64;
const MAX_JOINTS = 512;
const MAX_SKILLS = 32;
/** Maximum sizes of messages in bytes. */
export const MAX_REPORT_BYTES = { state: 16 * 1024, joints: 64 * 1024, events: 8 * 1024 } as const;

const v = z.literal(1);

/** On `robots/{robot_id}/state`, not retained. Robots omit members that they do not support. */
export const StateMessage = ReportedState.extend({
  v,
  pose: z
    .union([
      RobotPose,
      RobotFrames.refine((frames) => Object.keys(frames).length <= MAX_FRAMES, `has more than ${MAX_FRAMES} frames`),
    ])
    .exactOptional()
    .describe('of the base, or of named frames'),
  driver: z
    .string()
    .nullable()
    .exactOptional()
    .describe('who drives the robot past the service; null or absent: nobody. Motion is refused meanwhile'),
  estop: z
    .enum(['released', 'engaged'])
    .exactOptional()
    .describe('the emergency stop, of robots that list the feature `estop`; absent: it cannot be read'),
}).meta({ id: 'StateMessage' });
type StateMessage = z.infer<typeof StateMessage>;

/** On `robots/{robot_id}/joints`, not retained. */
export const JointsMessage = JointsChanged.extend({ v })
  .refine(({ names, positions }) => names.length === positions.length, 'must have as many positions as names')
  .refine(({ names }) => names.length <= MAX_JOINTS, `has more than ${MAX_JOINTS} joints`)
  .meta({ id: 'JointsMessage' });

const mission = {
  v,
  seq: z.int().min(0).describe('one more than that of the event before; begins anywhere with each session'),
  mission: z.string().min(1).max(128).describe('the id that the command was answered with'),
  skills: z.array(z.string()).max(MAX_SKILLS).exactOptional().describe('what it consists of'),
  client_id: z
    .string()
    .exactOptional()
    .describe('of the sender of the command; absent for what the robot does by itself'),
};
const message = z.string().exactOptional().describe('why, in a sentence');

/** On `robots/{robot_id}/events`. Events with other names are ignored. */
export const EventMessage = z
  .discriminatedUnion('event', [
    z.object({ event: z.literal('mission_started'), ...mission }),
    z.object({
      event: z.literal('mission_progressed'),
      ...mission,
      progress: z.number().min(0).max(1).describe('how much of it is done'),
    }),
    z.object({ event: z.literal('mission_finished'), ...mission }),
    z.object({ event: z.literal('mission_cancelled'), ...mission, message }),
    z.object({ event: z.literal('mission_failed'), ...mission, message }),
  ])
  .meta({ id: 'EventMessage' });
export type EventMessage = z.infer<typeof EventMessage>;

/** The valid members of a state message, and problems with the others, as sentences. */
export interface StateReport {
  readonly state: ReportedState;
  readonly estop: 'released' | 'engaged' | undefined;
  readonly faults: readonly string[];
}

/** Parses a state message, leaving out invalid members; undefined if it is not one. */
export function readState(payload: Buffer): StateReport | undefined {
  const json = parse(payload);
  if (!isJsonObject(json)) return undefined;
  const whole = StateMessage.safeParse(json, messagesFor('document'));
  if (whole.success) return reportOf(whole.data, []);
  const { issues } = whole.error;
  const misfits = new Set(issues.map(({ path }) => path[0]));
  const rest = Object.fromEntries(Object.entries(json).filter(([name]) => !misfits.has(name)));
  const fitting = StateMessage.safeParse(rest);
  const faults = issues.map(({ path, message }) => `${jsonPointer(path)}: ${message}`.slice(0, MAX_TEXT_LENGTH));
  return fitting.success ? reportOf(fitting.data, faults) : undefined;
}

function reportOf({ v: _, estop, driver, pose, ...members }: StateMessage, faults: readonly string[]): StateReport {
  const state = {
    ...(pose === undefined ? {} : { pose: withShortNames(pose) }),
    ...members,
    ...(driver ? { driver: driver.slice(0, MAX_TEXT_LENGTH) } : {}),
  };
  return { state, estop, faults };
}

type Pose = NonNullable<ReportedState['pose']>;

function withShortNames(pose: Pose): Pose {
  if ('theta' in pose && typeof pose.theta === 'number') return pose;
  const frames = Object.entries(pose as z.infer<typeof RobotFrames>); // as: a pose of the base has the number theta
  return Object.fromEntries(frames.map(([name, frame]) => [name.slice(0, MAX_TEXT_LENGTH), frame]));
}

/** Parses a joints message; undefined if it is not one. */
export function readJoints(payload: Buffer): JointsChanged | undefined {
  const joints = JointsMessage.safeParse(parse(payload)).data;
  if (!joints) return undefined;
  return { names: joints.names.map((name) => name.slice(0, MAX_TEXT_LENGTH)), positions: joints.positions };
}
