import * as z from 'zod';
import type { JsonValue } from '../../../json.ts';
import { COMMAND_KINDS } from '../port.ts';

const Name = z
  .string()
  .max(255)
  .regex(/^\/?[A-Za-z][A-Za-z0-9_]*(\/[A-Za-z0-9_]+)*$/, 'a ROS name, /cmd_vel for instance');
const Type = z
  .string()
  .max(255)
  .regex(
    /^[A-Za-z][A-Za-z0-9_]*(\/(msg|srv|action))?\/[A-Za-z][A-Za-z0-9_]*$/,
    'a ROS type, std_msgs/msg/Bool for instance',
  );
const Reference = z.string().startsWith('$', 'a reference, $answer.success for instance');
const Milliseconds = z.int().min(1).max(600_000);
const Template: z.ZodType<JsonValue> = z.json();

/** A call of a service. `success`, where it stands, has to be true in the answer; `message` says there why it is not. */
const Service = z.strictObject({
  name: Name,
  type: Type.optional(),
  args: Template.default({}),
  success: Reference.optional(),
  message: Reference.optional(),
});

/** A message to a topic, once or several times. */
const Publish = z
  .strictObject({
    name: Name,
    type: Type,
    message: Template.default({}),
    times: z.int().min(1).max(100).default(1),
    every_ms: Milliseconds.default(100),
  })
  .refine(({ times, every_ms }) => (times - 1) * every_ms <= 10_000, {
    error: 'repeating a message may take 10 s at most',
    path: ['times'],
  });

/** A goal for an action. `started` answers as soon as it was sent, with its id; `finished` when it is over. */
const Action = z.strictObject({
  name: Name,
  type: Type,
  goal: Template.default({}),
  answers: z.enum(['started', 'finished']).default('started'),
});

/** The latest message of a topic; an older one is no answer, the next one is waited for just as long. */
const Topic = z.strictObject({
  name: Name,
  type: Type,
  max_age_ms: Milliseconds.default(2000),
  throttle_ms: z.int().min(0).max(600_000).default(100),
});

/** Coordinates count from the pose that this topic tells, and are turned into its frame. */
const RelativeTo = Topic.extend({
  pose: z.string().regex(/^[A-Za-z0-9_.]+$/, 'where the pose stands, pose.pose for instance'),
});

export const MISSION_WAYS = ['wait', 'wait_for_start', 'cancel', 'cancel_and_wait', 'cancel_mine'] as const;
export const WAYS = ['service', 'publish', 'action', 'topic', 'mission'] as const;

const Command = z
  .strictObject({
    title: z.string().min(1).max(200),
    kind: z.enum(COMMAND_KINDS),
    effect: z.enum(['query', 'action']).optional(),
    bounds: z.strictObject({ minimum: z.number(), maximum: z.number() }).optional(),
    unit: z.string().max(20).optional(),
    waits: z.literal(true).optional(),
    items: z.literal('str').optional(),
    motion: z.boolean().optional(),
    relative_to: RelativeTo.optional(),
    service: Service.optional(),
    publish: Publish.optional(),
    action: Action.optional(),
    topic: Topic.optional(),
    mission: z.enum(MISSION_WAYS).optional(),
    result: Template.optional(),
  })
  .superRefine((command, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const ways = WAYS.filter((way) => command[way] !== undefined);
    if (ways.length !== 1) {
      context.addIssue({
        code: 'custom',
        message: `it needs exactly one of ${WAYS.join(', ')}; it has ${ways.length}`,
      });
    }
    const numeric = command.kind === 'int' || command.kind === 'float';
    if (command.bounds && !numeric) refuse('bounds', 'only commands of kind int or float have bounds');
    if (command.bounds && command.bounds.minimum > command.bounds.maximum) refuse('bounds', 'minimum exceeds maximum');
    if (command.unit !== undefined && !numeric) refuse('unit', 'only commands of kind int or float have a unit');
    if (command.items && command.kind !== 'list') refuse('items', 'only commands of kind list have items');
    if (command.relative_to && command.kind !== 'coordinates') refuse('relative_to', 'only coordinates are relative');
    const wanted = command.mission === 'cancel_mine' ? 'none' : 'str';
    if (command.mission && command.kind !== wanted)
      refuse('kind', `"mission: ${command.mission}" is of kind ${wanted}`);
  });

/**
 * Numbers that are 0 in the messages of a topic when the robot stands still. It does when they were, within the
 * tolerance, in every message of a window, two at least.
 */
const Still = Topic.extend({
  zero: z.array(z.string().regex(/^[A-Za-z0-9_.]+$/)).min(1),
  tolerance: z.number().min(0).default(0.01),
  window_ms: Milliseconds.default(300),
});

/** What `stop` does besides cancelling every goal of every action that stands in the mapping. */
const Stop = z
  .strictObject({
    cancel: z.array(Name).default([]),
    publish: z.array(Publish).default([]),
    service: z.array(Service).default([]),
    still: Still.optional(),
  })
  .refine(({ cancel, publish, service }) => cancel.length + publish.length + service.length > 0, {
    error: 'it needs at least one action to cancel, topic to publish to, or service to call',
  });

/** What the mapping file holds. */
export const MappingFile = z.strictObject({
  ros: z.union([z.literal(1), z.literal(2)], { error: '1 or 2: the generation of ROS the robot runs' }),
  stop: Stop,
  commands: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,127}$/, 'the name of a command'), Command),
});

export type MappingFile = z.output<typeof MappingFile>;
export type CommandEntry = MappingFile['commands'][string];
export type ServiceEntry = z.output<typeof Service>;
export type PublishEntry = z.output<typeof Publish>;
export type ActionEntry = z.output<typeof Action>;
export type TopicEntry = z.output<typeof Topic>;
export type RelativeToEntry = z.output<typeof RelativeTo>;
export type StillEntry = z.output<typeof Still>;
export type MissionWay = (typeof MISSION_WAYS)[number];
