import { motionGuard } from '../shared/control/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { asServiceError } from '../shared/pipeline/render-error.ts';
import { clock, config } from '../shared/ports.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { StopReport } from './command.schema.ts';
import { withFenced } from './fenced.ts';
import { senderOf } from './run-command.ts';
import { stop } from './stop.ts';

/**
 * POST /api/{version}/stop: stops the robot. Any token, even one expired less than 10 minutes ago; none over the
 * socket.
 */
export const handler = endpoint({
  access: 'any-recent-token',
  perRobot: true,
  summary: 'Stop all motion and cancel every mission',
  description: 'Answers when the robot has confirmed. It is not a certified emergency stop and does not replace one.',
  anyQuery: true,
  output: StopReport,
  urgent: true,
  errors: ['robot_error', 'robot_unavailable', 'robot_timeout'],
  uses: { robotLink, config, clock, motionGuard },
}).handler(async ({ record, caller, overtake }, ports) => {
  record('command', { command: 'stop' });
  const { isFenced } = ports.motionGuard;
  try {
    const report = await overtake(() => stop(ports, senderOf(caller)), ports.robotLink.fence);
    return isFenced === undefined ? report : { ...report, fenced: isFenced };
  } catch (error) {
    throw isFenced === undefined ? error : withFenced(asServiceError(error), isFenced);
  }
});
