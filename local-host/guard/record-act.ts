import { actorOf } from '../../functions/shared/events/events.port.ts';
import { events } from '../../functions/shared/events/ports.ts';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { stamp } from '../../functions/shared/observability/audit-trail.port.ts';
import { auditTrail } from '../../functions/shared/observability/ports.ts';
import type { Ports } from '../../functions/shared/port.ts';
import { runs } from '../../functions/shared/runs/ports.ts';
import type { Act } from './messages.ts';

/** Tells subscribers what the guard has done, and keeps who asked for it in the audit trail. */
export async function actRecorder(ports: Ports): Promise<(act: Act) => void> {
  const hub = await ports.get(events);
  const trail = await ports.get(auditTrail);
  const keys = await ports.get(keyStore);
  const skillRuns = await ports.get(runs);
  return ({ at, why, outcome, sender, address, listener, request_id }) => {
    const by = sender ? actorOf(sender) : null;
    hub.publish('safety', 'guard_stopped', { by, at: new Date(at).toISOString(), why, outcome });
    if (why !== 'asked') return;
    skillRuns.stopAll();
    trail.append({
      ...stamp(at),
      action: 'command',
      subject: { command: 'stop', at: 'guard' },
      client_id: sender?.clientId ?? null,
      key_id: sender?.keyId ?? null,
      key_name: sender ? (keys.findById(sender.keyId)?.name ?? null) : null,
      address: address ?? '',
      listener: listener ?? 'command',
      outcome,
      request_id: request_id ?? null,
    });
  };
}
