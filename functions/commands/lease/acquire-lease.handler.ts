import { leases } from '../../shared/control/ports.ts';
import { keyStore } from '../../shared/identity/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { LeaseClaim, LeaseGrant } from './lease.schema.ts';
import { holderOf, toGrant } from './lease-answer.ts';

/** POST /api/v2/lease/: acquires the lease, or gives it new terms. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Acquire the lease on the robot',
  description:
    'While the lease is fresh, only commands with its id in the header `Lease` move the robot; stop and queries never need it. Keep it with PUT, or with any command. The holder of a fresh lease gets the same one again, with the terms as newly given.',
  input: { body: LeaseClaim },
  output: LeaseGrant,
  audit: 'lease.acquire',
  uses: { leases, keyStore },
  errors: ['lease_held', 'component_unavailable'],
}).handler(({ caller, valid: { body }, record }, { leases, keyStore }) => {
  const { instance, ttl_ms: ttlMs, note } = body;
  record('lease.acquire', { instance, note: note ?? null });
  return toGrant(leases.acquire({ holder: holderOf(caller, instance, keyStore), ttlMs }));
});
