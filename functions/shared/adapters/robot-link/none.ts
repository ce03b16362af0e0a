import { Fence } from '../../control/fence.ts';
import type { RobotLink } from './port.ts';
import { robotUnavailable } from './robot-unavailable.ts';

/** The link of a service that was not told where its robot is: everything is `robot_unavailable`, naming the setting. */
export function noRobot(): RobotLink {
  const fence = new Fence();
  return { kind: 'none', fence, connected: () => false, catalogue: refuse, send: refuse, stop: refuse, close() {} };
}

function refuse(): never {
  throw robotUnavailable(
    'No robot is connected: this service was not told how to reach one. Set SERVICE_ROBOT_URL and start it again.',
  );
}
