import * as z from 'zod';

/** Models of the firewall (specification, section 2.2). The specification gives no endpoint for them. */

const protocol = z.enum(['tcp', 'udp']);
const direction = z.enum(['INPUT', 'OUTPUT']);

/** One port of the firewall and its state. */
export const FirewallPortEntry = z
  .strictObject({
    port: z.int().min(1).max(65535),
    purpose: z.string(),
    protocol,
    direction,
    state: z.enum(['OPEN', 'CLOSED', 'UNSET', 'UNKNOWN']),
  })
  .meta({
    id: 'FirewallPortEntry',
    example: { port: 8000, purpose: 'REST service', protocol: 'tcp', direction: 'INPUT', state: 'OPEN' },
  });

/** What a port that may be opened is for; a static entry. */
export const AllowedPortCfg = z
  .strictObject({ purpose: z.string(), protocol, direction })
  .meta({ id: 'AllowedPortCfg', example: { purpose: 'REST service', protocol: 'tcp', direction: 'INPUT' } });
