import { endpoint } from '../shared/pipeline/endpoint.ts';
import { prefetchRefused } from '../shared/pipeline/require-access.ts';
import { clock, config } from '../shared/ports.ts';
import type { CommandSpec, RobotLink } from '../shared/robot-link/port.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { CommandResult, NoArgCommandPath } from './command.schema.ts';
import { wrongKind } from './command-value.ts';
import { runCommand } from './run-command.ts';
import { COMMAND_ERRORS } from './typed-command.ts';

/**
 * GET /api/{version}/get/{command}: a command without a value, or a query. Any valid token (specification, section
 * 4.2). Prefetching is rejected for those that are actions.
 */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  effects: 'some',
  renewsToken: true,
  summary: 'Send a command that takes no value, or ask the robot',
  input: { path: NoArgCommandPath },
  output: CommandResult,
  errors: [...COMMAND_ERRORS, 'insufficient_access'],
  uses: { robotLink, config, clock },
}).handler((call, ports) => {
  const assertKind = (spec: CommandSpec) => {
    if (spec.kind !== 'none' || requiresPost(ports.robotLink, spec)) throw wrongKind(spec, 'path:command');
    if (spec.effect === 'action' && call.prefetch) throw prefetchRefused();
  };
  return runCommand(ports, { ...call.valid.path, assertKind }, call);
});

/** What moves a real robot answers to a POST only: a link that somebody opens must move nothing. */
function requiresPost({ kind }: RobotLink, { motion }: CommandSpec): boolean {
  return motion === true && kind !== 'simulated';
}
