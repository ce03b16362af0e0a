import * as z from 'zod';
import { COMMAND_KINDS, type CommandKind, ITEM_KINDS } from '../shared/adapters/robot-link/port.ts';
import type { JsonValue } from '../shared/json.ts';
import { unsafeIntegerPath } from './unsafe-integer.ts';

const LONGEST_NAME = 128;
const LONGEST_STRING = 16_384;

const Json = z.unknown() as unknown as z.ZodType<JsonValue>; // as: what is parsed here came out of a JSON text
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

function payloadOf<K extends keyof typeof VALUES>(kind: K) {
  return z.strictObject({ value: VALUES[kind] });
}

/** The bodies of `commands/{command}/`, by the kind of the command (specification, section 2.1). */
export const VALUE_PAYLOADS = {
  coordinates: payloadOf('coordinates'),
  str: payloadOf('str'),
  int: payloadOf('int'),
  float: payloadOf('float'),
  bool: payloadOf('bool'),
  dict: payloadOf('dict'),
  list: payloadOf('list'),
} as const satisfies Record<Exclude<CommandKind, 'none'>, z.ZodType<{ value: JsonValue }>>;

/** What `commands/{command}/` takes before it is known which kind the command wants. */
export const AnyValuePayload = z
  .strictObject({
    value: z
      .union([z.string(), z.number(), z.boolean(), z.record(z.string(), Json), z.array(Json)], {
        error: 'The value is a string, a number, a boolean, an object or a list; its kind stands in the catalogue.',
      })
      .optional(),
  })
  .describe('`value` of the kind the catalogue names; commands of kind `none` take `{}` or no body')
  .meta({ id: 'AnyValuePayload', example: { value: { x: 0.5 } } });

export const CommandPath = z.object({ command: CommandName.meta({ example: 'get_language' }) });

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
  })
  .meta({ id: 'CommandResult', example: { command: 'sound_level', value: 40, result: { sound_level: 40 }, ok: true } });

export const Catalogue = z
  .object({
    commands: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(COMMAND_KINDS).describe('the value it takes; `none` takes no value'),
        title: z.string(),
        effect: z.enum(['query', 'action']).describe('`query` leaves the robot as it is'),
        bounds: z
          .object({ minimum: z.number().optional(), maximum: z.number().optional() })
          .optional()
          .describe('inclusive'),
        unit: z.string().optional(),
        waits: z.literal(true).optional().describe('the answer may take minutes'),
        items: z.enum(ITEM_KINDS).optional().describe('what the list holds; absent: anything'),
        args: z.record(z.string(), Json).optional().describe('JSON Schema of the value; units stand in it as `x-unit`'),
        motion: z
          .boolean()
          .optional()
          .describe('whether it moves the robot or changes how it moves; absent: the robot does not say'),
        on_lapse: z
          .enum(['stop', 'finish'])
          .optional()
          .describe('`finish`: what it began goes on when the link or lease under which it began is lost'),
      }),
    ),
  })
  .meta({ id: 'Catalogue' });

export const StopReport = z
  .object({
    stopped: z.literal(true).describe('the robot has confirmed that it stands still'),
    cancelled_missions: z.int().min(0).optional().describe('absent when the robot does not say how many'),
  })
  .meta({ id: 'StopReport', example: { stopped: true, cancelled_missions: 2 } });
