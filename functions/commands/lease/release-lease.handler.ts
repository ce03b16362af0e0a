import { leases } from '../../shared/control/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { LeasePath, LeaseReleased } from './lease.schema.ts';

/** DELETE /api/v2/lease/{lease_id}: returns the lease. Any valid token of its client. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Return the lease on the robot',
  description: 'What it has begun goes on; stop the robot first if it should not. It may be returned again.',
  input: { path: LeasePath },
  output: LeaseReleased,
  audit: 'lease.release',
  uses: { leases },
  errors: ['lease_lost', 'component_unavailable'],
}).handler(({ caller, valid: { path }, record }, { leases }) => {
  record('lease.release', {});
  leases.release(path.lease_id, caller.clientId);
  return { released: true };
});
