import * as z from 'zod';
import { ACCESS_LEVELS } from '../../../access.ts';
import { MAX_FENCE } from '../../../control/fence.ts';
import type { JsonValue } from '../../../json.ts';
import { COMMAND_KINDS, ITEM_KINDS } from '../port.ts';

const Json = z.unknown() as unknown as z.ZodType<JsonValue>; // as: what is parsed here came out of a JSON text
const moment = z.int().describe('ms since 1970-01-01T00:00:00Z');
/** The number of section "The fence" in docs/mqtt.md. */
const fence = z.int().min(0).max(MAX_FENCE);
const identity = z.string().min(1).max(128);

const envelope = {
  v: z.literal(1).describe('version of these messages'),
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .describe('made for this message; the correlation data of the MQTT message holds the same characters'),
  issued_at: moment.describe('when it was sent, in ms since 1970-01-01T00:00:00Z'),
  deadline: moment.describe('when it must have begun, in ms since 1970-01-01T00:00:00Z; after that it must not begin'),
};

const Sender = z
  .object({ client_id: identity, access_level: z.enum(ACCESS_LEVELS), key_id: identity })
  .describe('on whose behalf, as the service has verified it');

/** To `robots/{robot_id}/commands`. The answer goes to the response topic of the MQTT message. */
export const CommandMessage = z
  .strictObject({
    ...envelope,
    command: z.string().min(1).max(128),
    value: Json.optional().describe('absent for commands of kind `none`'),
    fence: fence
      .exactOptional()
      .describe('to robots that list the feature `fence`: the number when the command arrived'),
    begin_by: moment
      .exactOptional()
      .describe('to robots that list the feature `begin_by`: latest start of a command that waits, in ms since 1970'),
    sender: Sender,
  })
  .meta({ id: 'CommandMessage' });
export type CommandMessage = z.infer<typeof CommandMessage>;

/** To `robots/{robot_id}/stop`. Acted upon whatever its times say. */
export const StopMessage = z
  .object({
    ...envelope,
    sender: Sender.optional(),
    fence: fence
      .exactOptional()
      .describe('to robots that list the feature `fence`: the highest number the sender knows'),
  })
  .meta({ id: 'StopMessage' });
export type StopMessage = z.infer<typeof StopMessage>;

/** What a robot answers to stop. */
export const StopAnswer = z.object({ stopped: z.literal(true), cancelled_missions: z.int().min(0).exactOptional() });

/** Whether a command that failed has run: `no` for sure, or nobody can tell. */
export const RAN = ['no', 'maybe'] as const;
export type Ran = (typeof RAN)[number];

/** What a robot may refuse a command with; anything else counts as `robot_error`. */
export const REFUSALS = [
  'robot_error',
  'robot_timeout',
  'robot_unavailable',
  'busy',
  'not_ready',
  'stopped',
  'unknown_command',
  'wrong_value_type',
  'validation_failed',
] as const;

const answered = {
  v: z.literal(1),
  id: z.string(),
  fence: fence.exactOptional().describe('number of the robot: in the answer to stop, and with the refusal `stopped`'),
};

/** From the robot to the response topic, with the correlation data of the question. */
export const AnswerMessage = z
  .discriminatedUnion('ok', [
    z.object({
      ...answered,
      ok: z.literal(true),
      result: Json,
      declined: z.string().optional().catch(undefined).describe('a sentence: why it does not do what it was told'),
    }),
    z.object({
      ...answered,
      ok: z.literal(false),
      error: z.object({
        code: z.enum(REFUSALS).catch('robot_error'),
        detail: z.string().describe('a sentence a person can act on'),
        ran: z.enum(RAN).catch('maybe').describe('whether the command has run'),
        errors: z
          .array(z.object({ pointer: z.string(), message: z.string() }))
          .optional()
          .catch(undefined)
          .describe('faults of the value; `pointer` is a JSON pointer that begins with /value'),
      }),
    }),
  ])
  .meta({ id: 'AnswerMessage' });
export type AnswerMessage = z.infer<typeof AnswerMessage>;

/** One command of a robot. An entry that does not fit is left out; the others stay. */
export const CatalogueEntry = z
  .object({
    name: z.string().min(1).max(128),
    kind: z.enum(COMMAND_KINDS).describe('the value it takes; `none` takes no value'),
    title: z.string(),
    effect: z.enum(['query', 'action']).describe('`query` leaves the robot as it is'),
    bounds: z
      .object({ minimum: z.number().exactOptional(), maximum: z.number().exactOptional() })
      .exactOptional()
      .describe('inclusive, of an int or a float'),
    unit: z.string().exactOptional().describe('of an int or a float'),
    waits: z
      .literal(true)
      .exactOptional()
      .describe('it is answered when something has happened, which may take minutes'),
    items: z.enum(ITEM_KINDS).exactOptional().describe('what a list holds'),
    args: z
      .record(z.string(), Json)
      .exactOptional()
      .describe('JSON Schema of the value, units as `x-unit`, without patterns; checked before the command is sent'),
    motion: z.boolean().exactOptional().describe('whether it moves the robot or changes how it moves'),
    on_lapse: z
      .enum(['stop', 'finish'])
      .exactOptional()
      .describe('`finish`: what it began goes on when the link under which it began is lost'),
  })
  .meta({ id: 'CatalogueEntry' });

/** On `robots/{robot_id}/presence`: retained, and the robot's last will with `online: false`. */
export const PresenceMessage = z
  .discriminatedUnion('online', [
    z.object({
      v: z.literal(1),
      online: z.literal(true),
      session: z.string().describe('new with each connection of the robot: what was asked before is lost'),
      catalogue: z.array(z.unknown()).describe('every command this robot knows, each a CatalogueEntry'),
      features: z
        .array(z.string())
        .catch([])
        .optional()
        .describe('`fence`: it keeps the number; `begin_by`: it knows that member; others are ignored'),
      fence: fence.optional().catch(undefined).describe('the present number, with the feature `fence`'),
      link_loss_ms: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .catch(undefined)
        .describe('it stops by itself after so long a silence of the broker'),
      stop_effect: z
        .enum(['hold', 'limp', 'brake'])
        .optional()
        .catch(undefined)
        .describe('how it stands after a stop: held by its motors, without power, or by brakes'),
    }),
    z.object({ v: z.literal(1), online: z.literal(false), reason: z.string().exactOptional() }),
  ])
  .meta({ id: 'PresenceMessage' });
export type PresenceMessage = z.infer<typeof PresenceMessage>;

/** A message of this schema, or undefined when the bytes are none. */
export function read<T>(schema: z.ZodType<T>, payload: Buffer): T | undefined {
  try {
    return schema.safeParse(JSON.parse(payload.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
