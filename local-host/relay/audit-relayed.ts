import { type AuditTrail, stamp } from '../../functions/shared/adapters/audit-trail/port.ts';
import type { CommandMessage } from '../../functions/shared/adapters/robot-link/mqtt/messages.ts';
import type { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonObject } from '../../functions/shared/json.ts';

/** Keeps on the robot itself what was done through the broker, under the id of the message. */
export function auditRelayed(
  { auditTrail, clock }: { readonly auditTrail: AuditTrail; readonly clock: () => number },
  message: { readonly id: string; readonly sender?: CommandMessage['sender'] | undefined } | undefined,
  subject: JsonObject,
  failure?: ServiceError,
): void {
  auditTrail.append({
    ...stamp(clock()),
    action: 'command',
    subject,
    client_id: message?.sender?.client_id ?? null,
    key_id: message?.sender?.key_id ?? null,
    key_name: null,
    address: '',
    listener: 'relay',
    outcome: failure?.code ?? 'ok',
    request_id: message?.id ?? null,
  });
}
