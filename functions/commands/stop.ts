import type { Sender, StopReport } from '../shared/robot-link/port.ts';
import { CommandDeadline } from './command-deadline.ts';
import type { CommandPorts } from './run-command.ts';

/**
 * Stops all motion and cancels every mission of every client. The fence has been raised when this returns. A stop is
 * carried through even if the caller hangs up or the service shuts down.
 * @throws ServiceError `robot_unavailable`, `robot_error`, `robot_timeout` if the robot did not confirm in time.
 */
export function stop({ robotLink, config, clock }: CommandPorts, sender?: Sender): StopReport | Promise<StopReport> {
  const deadline = new CommandDeadline(clock(), config.SERVICE_COMMAND_TIMEOUT_MS);
  const answer = robotLink.stop(deadline, sender);
  return answer instanceof Promise ? deadline.wait(answer) : answer;
}
