import type { CommandSpec, RobotLink } from '../shared/adapters/robot-link/port.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';
import { clock, config, robotLink } from '../shared/ports.ts';
import { CommandPath, CommandResult } from './command.schema.ts';
import { wrongKind } from './command-value.ts';
import { findCommand, recordAction, runCommand } from './run-command.ts';
import { COMMAND_ERRORS } from './typed-command.ts';

/**
 * GET /api/{version}/get/{command}: a command without a value, or a query. Any valid token (specification, section 4.2).
 * Some are actions, so it is never prefetched.
 */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Send a command that takes no value, or ask the robot',
  input: { path: CommandPath },
  output: CommandResult,
  effects: true,
  errors: COMMAND_ERRORS,
  uses: { robotLink, config, clock },
}).handler((call, ports) => {
  const { command } = call.valid.path;
  const spec = findCommand(ports.robotLink, command);
  if (spec.kind !== 'none' || movesByGet(ports.robotLink, spec)) throw wrongKind(spec, 'path:command');
  recordAction(call, spec);
  const answer = runCommand(ports, spec, undefined, call);
  return answer instanceof Promise ? answer.then((late) => ({ command, ...late })) : { command, ...answer };
});

/** What moves a real robot answers to a POST only: a link that somebody opens must move nothing. */
function movesByGet({ kind }: RobotLink, { motion }: CommandSpec): boolean {
  return motion === true && kind !== 'simulated';
}
