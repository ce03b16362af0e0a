import * as z from 'zod';

export const Live = z.object({ status: z.literal('live') }).meta({ id: 'Live', example: { status: 'live' } });

const PartState = z.union([
  z.object({
    ok: z.literal(true),
    notes: z.array(z.string()).optional().describe('what whoever looks after the robot should know'),
  }),
  z.object({ ok: z.literal(false), reason: z.string().describe('what a person can do about it') }),
]);

export const Ready = z
  .object({ status: z.literal('ready'), parts: z.record(z.string(), PartState) })
  .meta({ id: 'Ready', example: { status: 'ready', parts: { robot: { ok: true }, clock: { ok: true } } } });

export type PartStates = z.output<typeof Ready>['parts'];
