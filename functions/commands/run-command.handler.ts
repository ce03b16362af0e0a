import { endpoint } from '../shared/middleware/endpoint.ts';
import { clock, config, robotLink } from '../shared/ports.ts';
import { AnyValuePayload, CommandPath, CommandResult } from './command.schema.ts';
import { valueFor } from './command-value.ts';
import { findCommand, recordAction, runCommand } from './run-command.ts';
import { COMMAND_ERRORS } from './typed-command.ts';

/** POST /api/v2/commands/{command}/: any command, with only its value. Any valid token (specification, sections 4.2 and 9). */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Send any command',
  input: { path: CommandPath, body: AnyValuePayload.optional() },
  commandBody: true,
  bodyOptional: true,
  output: CommandResult,
  errors: COMMAND_ERRORS,
  uses: { robotLink, config, clock },
}).handler(async (call, ports) => {
  const { valid } = call;
  const { command } = valid.path;
  const spec = findCommand(ports.robotLink, command);
  const value = valueFor(spec, valid.body?.value);
  recordAction(call, spec, value);
  const answer = runCommand(ports, spec, value, call);
  return { command, value, ...(answer instanceof Promise ? await answer : answer) };
});
