import { leases } from '../../shared/control/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { robotLink } from '../../shared/robot-link/ports.ts';
import { LeaseState } from './lease.schema.ts';

/** GET /api/v2/lease/: who controls the robot. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read who controls the robot',
  output: LeaseState,
  uses: { leases, robotLink },
  errors: ['component_unavailable'],
}).handler((_call, { leases, robotLink }) => ({
  ...leases.status(),
  fenced_by_robot: robotLink.fence.ownedByRobot,
}));
