import * as z from 'zod';
import { documentedAs } from '../shared/documented.ts';
import { ESTOP_STATES } from '../shared/events/data.schema.ts';
import { unsafeIntegerPath } from '../shared/kit/exact-json.ts';
import { Json } from '../shared/kit/json.schema.ts';
import type { JsonValue } from '../shared/kit/json.ts';
import * as robot from '../shared/robot-link/catalogue.schema.ts';
import type { CommandKind } from '../shared/robot-link/port.ts';

const LONGEST_NAME = 128;
export const LONGEST_STRING = 16_384;

const CommandName = z.string().min(1).max(LONGEST_NAME).describe('name of the command, as the catalogue lists it');

function refuseUnsafeIntegers(value: object, context: z.RefinementCtx): void {
  const path = unsafeIntegerPath(value);
  if (path) context.addIssue({ code: 'custom', path, message: 'Integers beyond 2^53-1 cannot be carried exactly.' });
}

const metres = (axis: string) => z.number().default(0).describe(`${axis} in metres`);

/** A pose or an offset; a missing axis is 0.0 (specification, section 2.1). */
export const Coordinates = z
  .strictObject({
    x: metres('x'),
    y: metres('y'),
    z: metres('z'),
    theta: z.number().default(0).describe('heading in degrees'),
  })
  .meta({ id: 'Coordinates', example: { x: 1, y: 0.5, z: 0, theta: 90 } });

/** The values commands take, by kind. Types are strict: a bool is no number, a fraction no int, null is nothing. */
const VALUES = {
  coordinates: Coordinates,
  str: z.string().max(LONGEST_STRING),
  int: z.int(),
  float: z.number(),
  bool: z.boolean(),
  dict: z.record(z.string(), Json).superRefine(refuseUnsafeIntegers),
  list: z.array(Json).superRefine(refuseUnsafeIntegers),
} as const;

function commandOf<K extends keyof typeof VALUES>(kind: K, model: string, command: string, value: JsonValue) {
  return z
    .strictObject({ command: CommandName, value: VALUES[kind] })
    .meta({ id: `${model}Command`, example: { command, value } });
}

/** The command bodies of section 2.1 of the specification. */
export const CoordinatesCommand = commandOf('coordinates', 'Coordinates', 'go_to_absolute', { x: 1, y: 0.5 });
export const StrCommand = commandOf('str', 'Str', 'is_detected', 'rune-1');
export const IntCommand = commandOf('int', 'Int', 'sound_level', 40);
export const FloatCommand = commandOf('float', 'Float', 'set_robot_max_velocity', 50);
export const BoolCommand = commandOf('bool', 'Bool', 'set_obstacle_avoidance', true);
export const DictCommand = commandOf('dict', 'Dict', 'skill', { name: 'wave' });
export const ListCommand = commandOf('list', 'List', 'play_sequence', ['wave', 'bow']);

function payloadOf<K extends keyof typeof VALUES>(kind: K, model: string, value: JsonValue) {
  return z
    .strictObject({ value: VALUES[kind] })
    .meta({ id: `${model}ValuePayload`, unusedIO: 'input', example: { value } });
}

/** The bodies of `commands/{command}/`, by the kind of the command (specification, section 2.1). */
export const VALUE_PAYLOADS = {
  coordinates: payloadOf('coordinates', 'Coordinates', { x: 1, y: 0.5 }),
  str: payloadOf('str', 'Str', 'rune-1'),
  int: payloadOf('int', 'Int', 40),
  float: payloadOf('float', 'Float', 50),
  bool: payloadOf('bool', 'Bool', true),
  dict: payloadOf('dict', 'Dict', { name: 'wave' }),
  list: payloadOf('list', 'List', ['wave', 'bow']),
} as const satisfies Record<Exclude<CommandKind, 'none'>, z.ZodType<{ value: JsonValue }>>;

/** A command without a value (specification, section 2.1): its name stands in the path of `get/{command}`. */
export const NoArgCommand = z
  .strictObject({ command: CommandName })
  .meta({ id: 'NoArgCommand', unusedIO: 'input', example: { command: 'get_language' } });

const NOT_WRAPPED =
  'The body must be an object; wrap the value: {"value": …}. A command that takes no value needs no body.';

/** What `commands/{command}/` takes before it is known which kind the command wants. */
export const AnyValuePayload = z
  .strictObject(
    { value: Json.optional().meta({ description: 'of the kind that the command takes', ...documentedAs({}) }) },
    { error: ({ code }) => (code === 'invalid_type' ? NOT_WRAPPED : undefined) },
  )
  .describe(
    `The body for a command of the kind that the catalogue names: ${Object.keys(VALUE_PAYLOADS)
      .map((kind) => `\`${kind.charAt(0).toUpperCase()}${kind.slice(1)}ValuePayload\``)
      .join(
        ', ',
      )}. A command of kind \`none\`, the \`NoArgCommand\` of the specification, takes \`{}\`, \`{"value": null}\` or no body`,
  )
  .meta({ id: 'AnyValuePayload', example: { value: { x: 0.5 } } });

export const NoArgCommandPath = z.object({ command: CommandName.meta({ example: 'get_language' }) });
export const CommandPath = z.object({ command: CommandName.meta({ example: 'go_to_relative' }) });

/** The answer of the robot to a command of kind `none`, or to any on `commands/{command}/`. */
export const CommandResult = z
  .object({
    command: z.string(),
    value: Json.optional().describe('the value as it was sent to the robot; absent for kind `none`'),
    result: Json.describe('whatever the robot answered'),
    ok: z
      .boolean()
      .nullable()
      .describe('whether the robot does what it was told; `null`: it was sent, and the robot gives no answer'),
    declined: z.string().optional().describe('why not, in the words of the robot'),
    replaced: z
      .literal(true)
      .optional()
      .describe('the drive that was under way was cancelled for this one; absent: there was none, as far as is known'),
  })
  .meta({ id: 'CommandResult', example: { command: 'sound_level', value: 40, result: { sound_level: 40 }, ok: true } });

export const Catalogue = z.object({ commands: z.array(robot.CommandSpec) }).meta({ id: 'Catalogue' });

/** The answer to a stop. */
export const StopReport = robot.StopReport.extend({
  fenced: z
    .boolean()
    .exactOptional()
    .describe(
      'whether nothing from before the stop can leave the service or pass its guard any more; false while the guard is missing; absent where the robot itself decides',
    ),
}).meta({ id: 'StopReport', example: { stopped: true, cancelled_missions: 2 } });

/** The emergency stop of the robot, as `GET /api/v2/estop` answers. */
export const EmergencyStopState = z
  .object({
    state: z
      .enum(ESTOP_STATES)
      .describe('`unknown`: the last report is older than 2 s, or the robot reports none (`source` is null)'),
    source: z.string().nullable().describe('where the state comes from: the name of a topic, for instance'),
  })
  .meta({ id: 'EmergencyStopState', example: { state: 'released', source: '/estop' } });
