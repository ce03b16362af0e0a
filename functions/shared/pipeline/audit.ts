import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { publishCommand } from '../events/from-audit.ts';
import { events } from '../events/ports.ts';
import { LOCAL_KEY_ID } from '../identity/claims.ts';
import type { KeyStore } from '../identity/key-store.port.ts';
import { keyStore } from '../identity/ports.ts';
import { stamp } from '../observability/audit-trail.port.ts';
import { auditTrail } from '../observability/ports.ts';
import type { Exchange } from './exchange.ts';
import type { AuditNote } from './spec.ts';

const USES = { auditTrail, keyStore };
const USES_EVENTS = { events };

/**
 * Keeps the note of a request with who, when, from where and how it ended, and for which robot of a fleet. Its commands
 * are told to those who listen to that robot.
 */
export async function keepNote(event: APIGatewayProxyEventV2, exchange: Exchange, note: AuditNote): Promise<void> {
  const { host, caller, keyHolder, requestId, serviceRequestId, errorCode } = exchange;
  const { auditTrail, keyStore } = await host.ports.resolve(USES);
  const now = host.ports.clock();
  const keyId = caller?.keyId ?? keyHolder?.id ?? null;
  const { robotId } = host.ports;
  const entry = {
    ...stamp(now),
    action: note.action,
    subject: robotId === undefined ? note.subject : { ...note.subject, robot: robotId },
    client_id: caller?.clientId ?? null,
    key_id: keyId,
    key_name: keyHolder?.name ?? nameOf(keyStore, keyId),
    address: event.requestContext.http.sourceIp,
    listener: host.listener,
    outcome: errorCode ?? note.outcome ?? 'ok',
    request_id: requestId,
    service_request_id: serviceRequestId,
  };
  auditTrail.append(entry);
  if (robotId !== undefined) publishCommand((await host.ports.resolve(USES_EVENTS)).events, entry);
}

/** The socket has no key; asking the store for one would make it look at its file each time. */
function nameOf(keyStore: KeyStore, keyId: string | null): string | null {
  if (keyId === null || keyId === LOCAL_KEY_ID) return null;
  return keyStore.findById(keyId)?.name ?? null;
}
