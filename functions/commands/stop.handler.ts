import * as z from 'zod';
import { endpoint } from '../shared/middleware/endpoint.ts';
import { clock, config, robotLink } from '../shared/ports.ts';
import { StopReport } from './command.schema.ts';
import { senderOf } from './run-command.ts';
import { stop } from './stop.ts';

/** POST /api/{version}/stop: stops the robot. Any token, one that ran out less than 10 minutes ago too; none over the socket. */
export const handler = endpoint({
  access: 'any-recent-token',
  summary: 'Stop all motion and cancel every mission',
  description: 'Answers when the robot has confirmed. It is not a certified emergency stop and does not replace one.',
  // No stop shall fail for a query parameter too many.
  input: { query: z.object({}) },
  output: StopReport,
  urgent: true,
  errors: ['robot_error', 'robot_unavailable', 'robot_timeout'],
  uses: { robotLink, config, clock },
}).handler(({ record, caller, overtake }, ports) => {
  record('command', { command: 'stop' });
  return overtake(() => stop(ports, senderOf(caller)), ports.robotLink.fence);
});
