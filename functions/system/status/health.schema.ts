import * as z from 'zod';
import { documentedAs } from '../../shared/documented.ts';

export const Live = z.object({ status: z.literal('live') }).meta({ id: 'Liveness', example: { status: 'live' } });

/** One object in the place of two: clients ask `ok` before they look further. */
const PART_STATE = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    reason: { type: 'string', description: 'what a person can do about it; only when `ok` is false' },
    notes: {
      type: 'array',
      items: { type: 'string' },
      description: 'what the operator of the robot should know',
    },
  },
  required: ['ok'],
};

const PartState = z
  .union([
    z.object({
      ok: z.literal(true),
      notes: z.array(z.string()).optional().describe('what the operator of the robot should know'),
    }),
    z.object({ ok: z.literal(false), reason: z.string().describe('what a person can do about it') }),
  ])
  .meta({ id: 'PartState', ...documentedAs(PART_STATE) });

export const Ready = z
  .object({ status: z.literal('ready'), parts: z.record(z.string(), PartState) })
  .meta({ id: 'Readiness', example: { status: 'ready', parts: { robot: { ok: true }, clock: { ok: true } } } });

export type PartStates = z.output<typeof Ready>['parts'];
