import { endpoint } from '../shared/pipeline/endpoint.ts';
import { clock, config } from '../shared/ports.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { AnyValuePayload, CommandPath, CommandResult } from './command.schema.ts';
import { LeaseHeader } from './lease/lease.schema.ts';
import { runCommand } from './run-command.ts';
import { COMMAND_ERRORS } from './typed-command.ts';

/**
 * POST /api/v2/commands/{command}/: any command, with only its value. Any valid token (specification, sections 4.2 and
 * 9).
 */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'Send any command',
  input: { path: CommandPath, headers: LeaseHeader, body: AnyValuePayload.optional() },
  commandBody: true,
  exactIntegers: true,
  bodyOptional: true,
  output: CommandResult,
  errors: COMMAND_ERRORS,
  uses: { robotLink, config, clock },
}).handler((call, ports) => {
  const { path, body } = call.valid;
  return runCommand(ports, { command: path.command, value: body?.value }, call);
});
