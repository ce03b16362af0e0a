import { Fence } from '../../control/fence.ts';
import type { RobotLink } from '../port.ts';
import { robotUnavailable } from './robot-errors.ts';

/** The link without SERVICE_ROBOT_URL: everything is `robot_unavailable`, naming the setting. */
export function noRobot(): RobotLink {
  return absent('none', 'No robot is configured. Set SERVICE_ROBOT_URL and restart the service.');
}

/** The link to a robot of a fleet for callers without a token for it: nothing is opened for them. */
export function robotWithoutToken(): RobotLink {
  return absent(
    'mqtt',
    'Nothing is shown about this robot without a valid token for it. Send one in the Authorization header.',
  );
}

function absent(kind: RobotLink['kind'], why: string): RobotLink {
  const refuse = () => {
    throw robotUnavailable(why);
  };
  const fence = new Fence();
  return { kind, fence, connected: () => false, catalogue: refuse, send: refuse, stop: refuse, close() {} };
}
