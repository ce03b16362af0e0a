import * as z from 'zod';

const Unit = z
  .object({
    name: z.string().meta({ example: 'robot-nav.service' }),
    description: z.string().nullable().describe('null, like load_state, while systemd has not loaded the unit'),
    load_state: z.string().nullable().meta({ example: 'loaded' }),
    active_state: z.string().meta({ example: 'active' }),
    sub_state: z.string().meta({ example: 'running' }),
    enabled: z.boolean().nullable().describe('starts at boot; null for a unit without a file'),
  })
  .meta({ id: 'ServiceUnit' });

const Unavailable = z
  .object({ available: z.literal(false), reason: z.string() })
  .describe('this computer cannot be reached, or runs no systemd')
  .meta({ id: 'SystemUnavailable' });

/** The allowed units of each computer (specification, section 4.9). */
export const ServicesList = z
  .object({
    head: z.union([z.array(Unit), Unavailable]),
    base: z.union([z.array(Unit), Unavailable]),
  })
  .meta({ id: 'ServicesList' });
