import type * as z from 'zod';
import type { Caller } from '../../shared/access.ts';
import type { Lease, LeaseHolder } from '../../shared/control/lease.ts';
import { publicHolder } from '../../shared/control/lease-errors.ts';
import type { KeyStore } from '../../shared/identity/key-store.port.ts';
import type { LeaseGrant } from './lease.schema.ts';

/** Who asks for a lease. */
export function holderOf(caller: Caller, instance: string, keyStore: KeyStore): LeaseHolder {
  const { clientId, accessLevel, username, keyId } = caller;
  return { clientId, keyId, instance, accessLevel, username, keyName: keyStore.findById(keyId)?.name ?? keyId };
}

/** What the holder is answered. */
export function toGrant(lease: Lease): z.input<typeof LeaseGrant> {
  const holder = publicHolder(lease);
  const { id, generation, ttlMs } = lease;
  return { lease_id: id, generation, holder, expires_at: holder.expires_at, ttl_ms: ttlMs };
}
