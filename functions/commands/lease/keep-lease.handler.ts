import { leases } from '../../shared/control/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { LeaseGrant, LeasePath } from './lease.schema.ts';
import { toGrant } from './lease-answer.ts';

/** PUT /api/v2/lease/{lease_id}: keeps the lease. Any valid token of its client. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Keep the lease on the robot',
  description:
    'A lease that has lapsed is revived, if nobody has acquired it since: the answer then has a new id. The old one stays dead.',
  input: { path: LeasePath },
  output: LeaseGrant,
  unordered: true,
  uses: { leases },
  errors: ['lease_lost', 'component_unavailable'],
}).handler(({ caller, valid: { path } }, { leases }) => toGrant(leases.keep(path.lease_id, caller.clientId)));
