import * as z from 'zod';

/** The holder of the lease, as shown to others. */
export const PublicLeaseHolder = z
  .object({
    username: z.string().nullable().describe('name that the client claimed when it authenticated'),
    key_name: z.string().describe('name of its API key; `local` over the Unix socket'),
    client: z.string().describe('first 8 characters of its client id'),
    since: z.iso.datetime().describe('when it acquired the lease'),
    expires_at: z.iso.datetime().describe('when the lease ends, or has ended, by silence'),
  })
  .meta({ id: 'LeaseHolder' });

/** The state of the lease, as shown to anybody with a token. */
export const LeaseStanding = z.object({
  state: z
    .enum(['free', 'fresh', 'stale'])
    .describe('`stale`: its holder has been silent for too long, and nobody has acquired it since'),
  holder: PublicLeaseHolder.nullable().describe('the current or last holder; null if it is free'),
  since: z.iso.datetime().describe('when it entered this state'),
  generation: z.int().min(0).nullable().describe('of the last lease; null if there was none since the start'),
});
export type LeaseStanding = Readonly<z.infer<typeof LeaseStanding>>;
