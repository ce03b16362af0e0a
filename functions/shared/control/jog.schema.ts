import * as z from 'zod';

/** Default of `deadline_ms`. */
const DEFAULT_DEADLINE_MS = 300;
const MAX_STAMP_LENGTH = 64;

const members = {
  lease: z.string().max(64).exactOptional().describe('id of the lease under which the robot is driven'),
  vx: z.number().describe('m/s forward'),
  vy: z.number().describe('m/s to the left; for robots that can move sideways'),
  wz: z.number().describe('rad/s counter-clockwise'),
  seq: z.int().min(0).describe('counts up within one generation of the lease; older frames are ignored'),
  stamp: z
    .string()
    .max(MAX_STAMP_LENGTH)
    .nullish()
    .describe('the last stamp received. Only frames of zero velocity may have no stamp or an old one'),
  deadline_ms: z
    .int()
    .min(100)
    .max(1000)
    .default(DEFAULT_DEADLINE_MS)
    .describe('if no newer frame arrives within this time, the robot is sent zero velocity: 100 to 1000 ms'),
};

/** One frame of a jog. */
export const JogFrame = z.strictObject(members);
export type JogFrame = z.infer<typeof JogFrame>;

/** The same frame as a WebSocket message. */
export const Jog = z
  .strictObject({ type: z.literal('jog'), ...members })
  .describe('One velocity of a jog, answered with `jog_ack`. At most 100 per second.')
  .meta({ id: 'Jog' });

const ack = {
  seq: z.int().min(0).nullable().describe('of the frame; null if it had none'),
  stamp: z.string().describe('to be echoed by the next frame'),
  waiting: z
    .literal(true)
    .exactOptional()
    .describe('the frame was dropped because the previous motion is still being cancelled'),
};

export const JogReply = z
  .object(ack)
  .meta({ id: 'JogReply', example: { seq: 42, stamp: 'AAAAAAvYAAAAAAJtk1N0rTqVbqzvXQJq' } });

export const JogAck = z
  .object({
    type: z.literal('jog_ack'),
    ...ack,
    error: z
      .object({ code: z.string().describe('as in HTTP responses'), detail: z.string() })
      .exactOptional()
      .describe('why the frame was refused'),
  })
  .meta({ id: 'JogAck' });
