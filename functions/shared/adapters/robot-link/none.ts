import { Fence } from '../../control/fence.ts';
import type { RobotLink } from './port.ts';
import { robotUnavailable } from './robot-unavailable.ts';

/** The link of a service that was not told where its robot is: everything is `robot_unavailable`, naming the setting. */
export function noRobot(): RobotLink {
  return absent(
    'none',
    'No robot is connected: this service was not told how to reach one. Set SERVICE_ROBOT_URL and start it again.',
  );
}

/** What is known of a robot of a fleet before a token for it was accepted: nothing is opened for a stranger. */
export function unaskedRobot(): RobotLink {
  return absent('mqtt', 'Nothing is known of this robot before a token for it was accepted.');
}

function absent(kind: RobotLink['kind'], why: string): RobotLink {
  const refuse = () => {
    throw robotUnavailable(why);
  };
  const fence = new Fence();
  return { kind, fence, connected: () => false, catalogue: refuse, send: refuse, stop: refuse, close() {} };
}
