import * as z from 'zod';
import { LeaseStanding, PublicLeaseHolder } from '../../shared/control/lease.schema.ts';

const DEFAULT_TTL_MS = 2_000;

const terms = {
  instance: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/, 'The instance is 22 random characters of A-Z a-z 0-9 _ - (16 bytes in base64url)')
    .describe(
      'random, chosen once by each instance of the client, each tab of a page for instance: 16 bytes, base64url',
    )
    .meta({ example: 'mK3xV0c9Q2yT5uR8wZ1aBg' }),
  ttl_ms: z
    .int()
    .min(500)
    .max(60_000)
    .default(DEFAULT_TTL_MS)
    .describe('silence in ms after which the lease lapses: 500 to 60000'),
  note: z.string().max(300).optional().describe('what the robot is controlled for; kept in the audit trail'),
};

/** Body of `POST /api/v2/lease/`. */
export const LeaseClaim = z
  .strictObject(terms)
  .meta({ id: 'LeaseClaim', example: { instance: 'mK3xV0c9Q2yT5uR8wZ1aBg', ttl_ms: 2000, note: 'a tour' } });

/** Body of `POST /api/v2/lease/take`. */
export const LeaseTakeover = z
  .strictObject({
    ...terms,
    reason: z.string().trim().min(1).max(300).describe('why it is taken; kept in the audit trail'),
  })
  .meta({
    id: 'LeaseTakeover',
    example: { instance: 'mK3xV0c9Q2yT5uR8wZ1aBg', ttl_ms: 2000, reason: 'somebody is in the way' },
  });

export const LeasePath = z.object({
  lease_id: z.string().min(1).max(64).describe('id of the lease').meta({ example: 'Jd0oX2l1Q3mC9vB7nK5pTA' }),
});

/** The header with which commands come under a lease. */
export const LeaseHeader = z.object({
  lease: z
    .string()
    .max(64)
    .optional()
    .describe('id of the lease under which the command is sent; it keeps the lease fresh'),
});

/** The lease as its holder sees it. */
export const LeaseGrant = z
  .object({
    lease_id: z.string().describe('for the header `Lease` of commands. Keep it secret'),
    generation: z.int().min(0).describe('number of the fence when the lease was acquired, taken or revived'),
    holder: PublicLeaseHolder,
    expires_at: z.iso.datetime().describe('when it lapses unless it is kept'),
    ttl_ms: z.int(),
  })
  .meta({ id: 'Lease' });

export const LeaseReleased = z.object({ released: z.boolean() }).meta({ id: 'LeaseReleased' });

/** The lease as everybody sees it. */
export const LeaseState = LeaseStanding.extend({
  fenced_by_robot: z.boolean().describe('whether the robot itself refuses what was sent before a change of the lease'),
}).meta({ id: 'LeaseState' });
