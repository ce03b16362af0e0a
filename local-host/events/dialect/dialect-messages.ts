import * as z from 'zod';
import type { AccessLevel } from '../../../functions/shared/access.ts';
import { isAtLeast } from '../../../functions/shared/access.ts';
import { TOPICS } from '../../../functions/shared/events/topics.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import { parseJsonText } from './parse-json-text.ts';

/** The client drops a longer frame, or stops reading. */
export const MAX_FRAME_BYTES = 1024 * 1024;

const topic = z.string().min(1).max(256);

/** What a client of port 8001 sends. */
const Action = z.discriminatedUnion('action', [
  z.object({ action: z.literal('subscribe'), topic }),
  z.object({ action: z.literal('unsubscribe'), topic }),
  z.object({ action: z.literal('publish'), topic, data: z.string() }),
]);
export type Action = z.infer<typeof Action>;

/** A frame says the type of its data; a client that meets another one stops reading. */
const Frame = z.discriminatedUnion('type', [
  z.looseObject({ name: z.string(), type: z.literal('float'), data: z.number() }),
  z.looseObject({ name: z.string(), type: z.literal('int'), data: z.int() }),
  z.looseObject({ name: z.string(), type: z.literal('str'), data: z.string() }),
  z.looseObject({ name: z.string(), type: z.literal('bool'), data: z.boolean() }),
  z.looseObject({ name: z.string(), type: z.literal('dict'), data: z.record(z.string(), z.unknown()) }),
  z.looseObject({ name: z.string(), type: z.literal('list'), data: z.array(z.unknown()) }),
]);

/** Topics of the robot that are sampled, with the type of their data. */
const RATED = {
  current_focus: 'str',
  head_mode: 'str',
  navigation_state: 'str',
  left_hand_state: 'str',
  right_hand_state: 'str',
  max_velocity: 'float',
  arms_collision: 'bool',
  battery_voltage: 'float',
  runes: 'list',
  rules: 'list',
} as const;
export type RatedTopic = keyof typeof RATED;
export const RATED_TOPICS = Object.keys(RATED) as readonly RatedTopic[]; // as: its own keys

/** Topics that programs of the robot publish, and on which others rely. */
const ROBOT_TOPICS: ReadonlySet<string> = new Set([
  ...RATED_TOPICS,
  'RPC_command',
  'RPC_result',
  'skills_list_command',
  'skills_list_result',
  'skill_manager_errors',
  'server_logs',
]);

/** Undefined for what is no action of this dialect, which has no way to say so. */
export function readAction(data: Buffer, isBinary: boolean): Action | undefined {
  if (isBinary) return undefined;
  return Action.safeParse(parseJsonText(data.toString('utf8'))).data;
}

/** Whether the text is a frame of this topic that every client of this dialect can read. */
export function isFrameOf(topic: string, text: string): boolean {
  return Frame.safeParse(parseJsonText(text)).data?.name === topic;
}

/** The frame in which a topic of the event hub is sent; its data is the event (CloudEvents 1.0). */
export function frameOfEvent(channel: string, eventJson: string): string {
  return `{"name":${JSON.stringify(channel)},"type":"dict","data":${eventJson}}`;
}

/**
 * The frame of a value of the robot; undefined if it does not have the type of the topic or is too long. Floats always have
 * a decimal point, because clients in other languages would read an int otherwise.
 */
export function ratedFrame(topic: RatedTopic, value: JsonValue): string | undefined {
  const frame = Frame.safeParse({ name: topic, type: RATED[topic], data: value }).data;
  if (!frame) return undefined;
  const isRound = frame.type === 'float' && Number.isInteger(frame.data);
  const data = isRound ? frame.data.toFixed(1) : JSON.stringify(frame.data);
  const text = `{"name":"${topic}","type":"${frame.type}","data":${data}}`;
  return Buffer.byteLength(text) <= MAX_FRAME_BYTES ? text : undefined;
}

export function isRated(name: string): name is RatedTopic {
  return Object.hasOwn(RATED, name);
}

/** The frame with the current state for a new subscriber, in the form of an event. */
export function frameOfSnapshot(topic: string, data: unknown, { source, position, at }: SnapshotOf): string {
  const event = {
    specversion: '1.0',
    id: `${position}/${topic}`,
    source,
    type: `robot.${topic.split('/', 1)[0]}.snapshot`,
    time: new Date(at).toISOString(),
    data,
  };
  return frameOfEvent(topic, JSON.stringify(event));
}

interface SnapshotOf {
  /** CloudEvents `source`. */
  readonly source: string;
  /** Id of the newest event that it includes. */
  readonly position: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** What the robot and the service publish, only an ADMIN may publish; the rest is free to everybody. */
export function mayPublish(name: string, level: AccessLevel): boolean {
  const isReserved = ROBOT_TOPICS.has(name) || isHubTopic(name);
  return !isReserved || isAtLeast(level, 'ADMIN');
}

/** Whether the event hub has a topic of this name. */
export function isHubTopic(name: string): boolean {
  return Object.hasOwn(TOPICS, name.split('/', 1)[0] ?? '');
}
