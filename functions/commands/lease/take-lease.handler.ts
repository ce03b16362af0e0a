import { OPERATORS } from '../../shared/access.ts';
import { leases } from '../../shared/control/ports.ts';
import { ServiceError } from '../../shared/errors.ts';
import { keyStore } from '../../shared/identity/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { robotLink } from '../../shared/robot-link/ports.ts';
import { LeaseGrant, LeaseTakeover } from './lease.schema.ts';
import { holderOf, toGrant } from './lease-answer.ts';

/** How long the response waits for the robot to confirm that it has stopped. */
const CONFIRM_WAIT_MS = 5_000;

/** POST /api/v2/lease/take: takes the lease from whoever holds it, and stops the robot. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Take the lease on the robot',
  description:
    'The previous holder is out at once, and the robot is stopped. If it has not confirmed the stop within 5 s, the answer is 504 with `lease_id` and `stop_confirmed: false`: the lease is yours, and nothing moves the robot until it has confirmed a stop.',
  input: { body: LeaseTakeover },
  output: LeaseGrant,
  audit: 'lease.take',
  uses: { leases, keyStore, robotLink },
  errors: ['lease_lost', 'robot_timeout', 'component_unavailable'],
}).handler(async ({ caller, valid: { body }, record }, { leases, keyStore }) => {
  const { instance, ttl_ms: ttlMs, reason, note } = body;
  record('lease.take', { instance, reason, note: note ?? null });
  const { lease, confirmed } = leases.take({ holder: holderOf(caller, instance, keyStore), ttlMs }, CONFIRM_WAIT_MS);
  const isConfirmed = await confirmed;
  const grant = toGrant(leases.find(lease.id));
  if (isConfirmed) return grant;
  throw new ServiceError('robot_timeout', {
    detail:
      'You hold the lease, but the robot has not confirmed that it has stopped. The stop is being repeated; all motion is rejected until it is confirmed.',
    members: { ...grant, stop_confirmed: false },
  });
});
