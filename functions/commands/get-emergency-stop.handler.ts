import { endpoint } from '../shared/pipeline/endpoint.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { EmergencyStopState } from './command.schema.ts';

/** GET /api/v2/estop: the state of the robot's emergency stop. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'Read the emergency stop of the robot',
  description:
    'As reported by the robot; the service can neither engage nor release it. While it is engaged, or if a robot that reports its state has not done so recently (`unknown`), motion is refused with 409 `estop_engaged`.',
  output: EmergencyStopState,
  uses: { robotLink },
}).handler((_call, { robotLink }) => {
  const { state = 'unknown', source = null } = robotLink.emergencyStop?.() ?? {};
  return { state, source } as const;
});
