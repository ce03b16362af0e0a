import * as z from 'zod';
import { CommandSpec } from '../../catalogue.schema.ts';
import { commandNameProblem } from '../../command-name.ts';
import { Milliseconds, Name, Template, Throttle, Type } from './mapping-parts.schema.ts';
import { EmergencyStopReport, JogTopic, JointsReport, StateReport } from './report.schema.ts';

const Reference = z.string().startsWith('$', 'a reference, $answer.success for instance');

/** A call of a service. `success` refers to what must be true in the answer, `message` to the reason why it is not. */
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
  throttle_ms: Throttle.default(100),
});

/** Coordinates count from the pose that this topic tells, and are turned into its frame. */
const RelativeTo = Topic.extend({
  pose: z.string().regex(/^[A-Za-z0-9_.]+$/, 'where the pose stands, pose.pose for instance'),
});

const MISSION_WAYS = ['wait', 'wait_for_start', 'cancel', 'cancel_and_wait', 'cancel_mine'] as const;
const WAYS = ['service', 'publish', 'action', 'topic', 'mission'] as const;

const { kind, effect, waits, motion, args, result, examples, replaces } = CommandSpec.shape;

const Command = z
  .strictObject({
    title: z.string().min(1).max(200),
    kind,
    effect: effect.exactOptional(),
    bounds: z.strictObject({ minimum: z.number(), maximum: z.number() }).exactOptional(),
    unit: z.string().max(20).exactOptional(),
    waits,
    items: z.literal('str').exactOptional(),
    motion,
    args,
    examples,
    replaces,
    /** JSON Schema of the answer, for the catalogue; `result` makes the answer. */
    result_schema: result,
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

/** What `stop` does besides cancelling every goal of every action in the mapping. */
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
  state: z.array(StateReport).default([]),
  joints: z.array(JointsReport).default([]),
  estop: EmergencyStopReport.optional(),
  jog: JogTopic.optional(),
  commands: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,127}$/, 'the name of a command'), Command)
    .superRefine((commands, context) => {
      for (const name of Object.keys(commands)) {
        const message = commandNameProblem(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    }),
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

type Interface = 'msg' | 'srv' | 'action';
type TypedPlace = readonly [path: ReadonlyArray<string | number>, type: string | undefined, of: Interface];

/** Every type name that is not written as this generation of ROS writes it, with its place in the mapping. */
export function typeFaults({ ros, stop, state, joints, estop, jog, commands }: MappingFile) {
  const places: TypedPlace[] = [
    ...stop.publish.map(({ type }, index): TypedPlace => [['stop', 'publish', index, 'type'], type, 'msg']),
    ...stop.service.map(({ type }, index): TypedPlace => [['stop', 'service', index, 'type'], type, 'srv']),
    [['stop', 'still', 'type'], stop.still?.type, 'msg'],
    ...state.map(({ type }, index): TypedPlace => [['state', index, 'type'], type, 'msg']),
    ...joints.map(({ type }, index): TypedPlace => [['joints', index, 'type'], type, 'msg']),
    [['estop', 'type'], estop?.type, 'msg'],
    [['jog', 'type'], jog?.type, 'msg'],
    ...Object.entries(commands).flatMap(([name, { service, publish, action, topic, relative_to }]): TypedPlace[] => [
      [['commands', name, 'service', 'type'], service?.type, 'srv'],
      [['commands', name, 'publish', 'type'], publish?.type, 'msg'],
      [['commands', name, 'action', 'type'], action?.type, 'action'],
      [['commands', name, 'topic', 'type'], topic?.type, 'msg'],
      [['commands', name, 'relative_to', 'type'], relative_to?.type, 'msg'],
    ]),
  ];
  return places.flatMap(([path, type, of]) => {
    const message = type === undefined ? undefined : typeProblem(ros, type, of);
    return message === undefined ? [] : [{ path, message }];
  });
}

function typeProblem(ros: 1 | 2, type: string, of: Interface): string | undefined {
  const parts = type.split('/');
  const [pkg, name] = [parts[0], parts.at(-1)];
  if (ros === 1) return parts.length === 2 ? undefined : `a type of ROS 1 has no middle part: ${pkg}/${name}`;
  return parts.length === 3 && parts[1] === of ? undefined : `a type of ROS 2 is written ${pkg}/${of}/${name} here`;
}
