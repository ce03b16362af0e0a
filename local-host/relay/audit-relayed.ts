import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { type AuditTrail, stamp } from '../../functions/shared/observability/audit-trail.port.ts';
import type { CommandMessage } from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';

/**
 * Records in the robot's own audit trail what was done through the broker, under the id of the message.
 * @param outcome `ok`, `sent`, `declined`, or the code of the error.
 */
export function auditRelayed(
  { auditTrail, clock }: { readonly auditTrail: AuditTrail; readonly clock: () => number },
  message: { readonly id: string; readonly sender?: CommandMessage['sender'] | undefined } | undefined,
  subject: JsonObject,
  outcome: string = 'ok',
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
    outcome,
    request_id: message?.id ?? null,
  });
}
