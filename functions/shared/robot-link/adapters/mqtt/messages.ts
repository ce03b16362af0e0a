import * as z from 'zod';
import { ACCESS_LEVELS } from '../../../access.ts';
import { MAX_FENCE } from '../../../control/fence.ts';
import { Json } from '../../../kit/json.schema.ts';
import type { Sender as Caller } from '../../port.ts';

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

/** To `robots/{robot_id}/jog`, many times a second. Nothing answers it. */
export const JogMessage = z
  .object({
    v: z.literal(1),
    fence: fence.describe('the number when it arrived'),
    seq: z.int().min(0).describe('counts up with each frame of a service, across restarts too'),
    vx: z.number().describe('m/s forward'),
    vy: z.number().describe('m/s to the left'),
    wz: z.number().describe('rad/s counter-clockwise'),
    valid_ms: z.int().min(0).describe('how long it counts unless a later one comes; never longer than the watchdog'),
  })
  .meta({ id: 'JogMessage' });
export type JogMessage = z.infer<typeof JogMessage>;

const JogOffer = z
  .object({
    watchdog_ms: z.int().min(1).describe('without a frame for so long, it stands still by itself; at most 500'),
    max_linear: z.number().positive().exactOptional().describe('m/s; faster frames are slowed down'),
    max_angular: z.number().positive().exactOptional().describe('rad/s'),
  })
  .meta({ id: 'JogOffer' });
export type JogOffer = z.infer<typeof JogOffer>;

/** Whether a command that failed has run: `no` for sure, or nobody can tell. */
const RAN = ['no', 'maybe'] as const;
export type Ran = (typeof RAN)[number];

/** What a robot may refuse a command with; anything else counts as `robot_error`. */
export const REFUSALS = [
  'robot_error',
  'robot_timeout',
  'robot_unavailable',
  'busy',
  'not_ready',
  'stopped',
  'lease_held',
  'lease_required',
  'estop_engaged',
  'driven_elsewhere',
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
      replaced: z
        .boolean()
        .optional()
        .catch(undefined)
        .describe('whether a drive that was under way was cancelled for this one'),
      unanswered: z
        .boolean()
        .optional()
        .catch(undefined)
        .describe('true: it was passed on to where nothing reports whether it has an effect'),
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

/** On `robots/{robot_id}/presence`: retained, and the robot's last will with `online: false`. */
export const PresenceMessage = z
  .discriminatedUnion('online', [
    z.object({
      v: z.literal(1),
      online: z.literal(true),
      session: z.string().describe('new with each connection of the robot: what was asked before is lost'),
      catalogue: z.array(z.unknown()).describe('every command this robot knows, each a CommandSpec'),
      features: z
        .array(z.string())
        .catch([])
        .optional()
        .describe(
          '`fence`: it keeps the number; `begin_by`: it knows that member; `estop`: its state has the member `estop`; `lease`: it keeps a lease, and may refuse with `lease_held`; others are ignored',
        ),
      fence: fence.optional().catch(undefined).describe('the present number, with the feature `fence`'),
      link_loss_ms: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .catch(undefined)
        .describe('it stops by itself after so long a silence of the broker'),
      jog: JogOffer.optional()
        .catch(undefined)
        .describe('it can be driven by hand, and follows the rules of "Driving by hand" in docs/mqtt.md'),
      stop_effect: z
        .enum(['hold', 'limp', 'brake'])
        .optional()
        .catch(undefined)
        .describe('how it stands after a stop: held by its motors, without power, or by brakes'),
    }),
    z.object({
      v: z.literal(1),
      online: z.literal(false),
      reason: z.string().exactOptional(),
      session: z
        .string()
        .optional()
        .catch(undefined)
        .describe(
          'of the connection that has ended: it tells a robot that comes back from another program with its id',
        ),
    }),
  ])
  .meta({ id: 'PresenceMessage' });
export type PresenceMessage = z.infer<typeof PresenceMessage>;

/** A message of this schema, or undefined when the bytes are not one. */
export function read<T>(schema: z.ZodType<T>, payload: Buffer): T | undefined {
  return schema.safeParse(parse(payload)).data;
}

/** A message as JSON, or undefined when the bytes are none. */
export function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What a command or a stop says beyond its id and its times. */
export type Content =
  | Pick<CommandMessage, 'command' | 'value' | 'sender' | 'fence' | 'begin_by'>
  | Pick<StopMessage, 'sender' | 'fence'>;

export function senderOnWire({ clientId, accessLevel, keyId }: Caller) {
  return { client_id: clientId, access_level: accessLevel, key_id: keyId };
}
