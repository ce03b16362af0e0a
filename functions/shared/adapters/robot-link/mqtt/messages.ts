import * as z from 'zod';
import { ACCESS_LEVELS } from '../../../access.ts';
import { MAX_FENCE } from '../../../control/fence.ts';
import type { JsonValue } from '../../../json.ts';
import { COMMAND_KINDS } from '../port.ts';

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
    z.object({ ...answered, ok: z.literal(true), result: Json }),
    z.object({
      ...answered,
      ok: z.literal(false),
      error: z.object({
        code: z.enum(REFUSALS).catch('robot_error'),
        detail: z.string().describe('a sentence a person can act on'),
        ran: z.enum(RAN).catch('maybe').describe('whether the command has run'),
      }),
    }),
  ])
  .meta({ id: 'AnswerMessage' });
export type AnswerMessage = z.infer<typeof AnswerMessage>;

const Spec = z.object({
  name: z.string().min(1).max(128),
  kind: z.enum(COMMAND_KINDS),
  title: z.string(),
  effect: z.enum(['query', 'action']),
  bounds: z.object({ minimum: z.number(), maximum: z.number() }).exactOptional(),
  unit: z.string().exactOptional(),
  waits: z.literal(true).exactOptional(),
  items: z.literal('str').exactOptional(),
  motion: z.boolean().exactOptional(),
});

/** On `robots/{robot_id}/presence`: retained, and the robot's last will with `online: false`. */
export const PresenceMessage = z
  .discriminatedUnion('online', [
    z.object({
      v: z.literal(1),
      online: z.literal(true),
      session: z.string().describe('new with each connection of the robot: what was asked before is lost'),
      catalogue: z.array(Spec).describe('every command this robot knows'),
      features: z.array(z.string()).exactOptional().describe('`fence`: it keeps the number; others are ignored'),
      fence: fence.exactOptional().describe('the present number, with the feature `fence`'),
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
