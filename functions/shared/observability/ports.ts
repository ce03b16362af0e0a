import { auditPaths } from '../config.ts';
import { events } from '../events/ports.ts';
import { type Port, port } from '../port.ts';
import type { AuditTrail } from './audit-trail.port.ts';
import { type Metrics, NO_METRICS } from './metrics.port.ts';
import type { Refusals } from './refusals.ts';

/** Who did what: files in the data folder, in the cloud the log. */
export const auditTrail: Port<AuditTrail> = /* @__PURE__ */ port(
  'audit trail',
  async (ports) => {
    const { config, logger } = ports;
    if (config.inCloud) return (await import('./adapters/audit-trail/log.ts')).auditIntoLog(logger);
    const { AuditTrails } = await import('./adapters/audit-trail/trails.ts');
    const { publishAudited } = await import('../events/from-audit.ts');
    const hub = await ports.get(events);
    return new AuditTrails(auditPaths(config), logger, undefined, (entry) => publishAudited(hub, entry));
  },
  (trail) => trail.close(),
);

/** Counts nothing unless the local host gives one that does. */
export const metrics: Port<Metrics> = /* @__PURE__ */ port('metrics', () => NO_METRICS);

/** Counts and logs what the budgets refuse. */
export const refusals: Port<Refusals> = /* @__PURE__ */ port('refusals', async (ports) => {
  const { Refusals } = await import('./refusals.ts');
  return new Refusals(await ports.get(metrics), ports.logger, ports.clock);
});
