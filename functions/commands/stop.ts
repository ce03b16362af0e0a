import type { Sender, StopReport } from '../shared/adapters/robot-link/port.ts';
import { Patience } from './patience.ts';
import type { Commanding } from './run-command.ts';

/**
 * Stops all motion and cancels every mission of every client; the fence has risen when this returns. Neither a hang-up nor the end of the service calls it
 * back: once asked for, it is carried through.
 * @throws ServiceError `robot_unavailable`, `robot_error`, `robot_timeout` when the robot did not confirm in time.
 */
export function stop({ robotLink, config, clock }: Commanding, sender?: Sender): StopReport | Promise<StopReport> {
  const patience = new Patience(clock(), config.SERVICE_COMMAND_TIMEOUT_MS);
  const answer = robotLink.stop(patience, sender);
  return answer instanceof Promise ? patience.wait(answer) : answer;
}
