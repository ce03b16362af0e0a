import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { stamp } from '../adapters/audit-trail/port.ts';
import type { KeyStore } from '../adapters/key-store/port.ts';
import type { JsonValue } from '../json.ts';
import { auditTrail, keyStore } from '../ports.ts';
import { LOCAL_KEY_ID } from '../tokens/claims.ts';
import type { Exchange } from './exchange.ts';

const USES = { auditTrail, keyStore };

/** What the audit trail shall say of a request. */
export interface AuditNote {
  readonly action: string;
  readonly subject: Readonly<Record<string, JsonValue>>;
}

/** Keeps the note of a request with who, when, from where and how it ended. */
export async function keepNote(event: APIGatewayProxyEventV2, exchange: Exchange, note: AuditNote): Promise<void> {
  const { host, caller, keyHolder, requestId, serviceRequestId, errorCode } = exchange;
  const { auditTrail, keyStore } = await host.ports.resolve(USES);
  const now = host.ports.clock();
  const keyId = caller?.keyId ?? keyHolder?.id ?? null;
  auditTrail.append({
    ...stamp(now),
    action: note.action,
    subject: note.subject,
    client_id: caller?.clientId ?? null,
    key_id: keyId,
    key_name: keyHolder?.name ?? nameOf(keyStore, keyId),
    address: event.requestContext.http.sourceIp,
    listener: host.listener,
    outcome: errorCode ?? 'ok',
    request_id: requestId,
    service_request_id: serviceRequestId,
  });
}

/** The socket has no key; asking the store for one would make it look at its file each time. */
function nameOf(keyStore: KeyStore, keyId: string | null): string | null {
  if (keyId === null || keyId === LOCAL_KEY_ID) return null;
  return keyStore.findById(keyId)?.name ?? null;
}
