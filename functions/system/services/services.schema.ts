import * as z from 'zod';
import { SYSTEMS } from '../../shared/allowed-units.ts';
import { documentedAs } from '../../shared/documented.ts';

/** A `.service` unit: its file joined with what systemd holds of it in memory. */
export const ServiceUnit = z
  .object({
    name: z.string().meta({ example: 'robot-nav.service' }),
    description: z.string().nullable().describe('null, like load_state, while systemd has not loaded the unit'),
    load_state: z.string().nullable().meta({ example: 'loaded' }),
    active_state: z.string().meta({ example: 'active' }),
    sub_state: z.string().meta({ example: 'running' }),
    enabled: z.boolean().nullable().describe('starts at boot; null for a unit without a file'),
  })
  .meta({ id: 'ServiceUnit' });
export type Unit = Readonly<z.infer<typeof ServiceUnit>>;

export const SystemUnavailable = z
  .object({ available: z.literal(false), reason: z.string() })
  .describe('this computer cannot be reached, or does not run systemd')
  .meta({ id: 'SystemUnavailable' });

/** Generators of clients cannot take what is now a list and now an object. */
const SystemUnits = z.union([z.array(ServiceUnit), SystemUnavailable]).meta({
  description: 'a list of `ServiceUnit`, or a `SystemUnavailable`',
  ...documentedAs({}),
});

/** The allowed units of each computer (specification, section 4.9). */
export const ServicesList = z.object({ head: SystemUnits, base: SystemUnits }).meta({ id: 'ServicesList' });

/** A unit that systemd was asked to restart. */
export const RestartedService = z
  .object({
    system: z.enum(SYSTEMS),
    service: z.string().meta({ example: 'robot-nav.service' }),
    active_state: z.string().describe('as it was right after').meta({ example: 'activating' }),
    sub_state: z.string().meta({ example: 'start' }),
  })
  .meta({ id: 'RestartedService' });
