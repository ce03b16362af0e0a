import type * as z from 'zod';
import type { CommandKind } from '../shared/adapters/robot-link/port.ts';
import type { JsonValue } from '../shared/json.ts';
import { type Endpoint, endpoint } from '../shared/middleware/endpoint.ts';
import { clock, config, robotLink } from '../shared/ports.ts';
import { CommandResult } from './command.schema.ts';
import { wrongKind } from './command-value.ts';
import { findCommand, recordAction, runCommand } from './run-command.ts';

/** Errors any command may end with, besides those of the pipeline. */
export const COMMAND_ERRORS = [
  'unknown_command',
  'wrong_value_type',
  'busy',
  'not_ready',
  'stopped',
  'storage_full',
  'robot_error',
  'robot_unavailable',
  'robot_timeout',
] as const;

/** The endpoint of a typed route, whose body names the command and whose value is of one kind (specification, section 4.2). */
export function typedCommand(
  kind: CommandKind,
  body: z.ZodType<{ command: string; value: JsonValue }>,
  summary: string,
): Endpoint {
  return endpoint({
    access: 'any-token',
    summary,
    input: { body },
    commandBody: true,
    output: CommandResult,
    errors: COMMAND_ERRORS,
    uses: { robotLink, config, clock },
  }).handler((call, ports) => {
    const { command, value } = call.valid.body;
    const spec = findCommand(ports.robotLink, command);
    if (spec.kind !== kind) throw wrongKind(spec, '/command');
    recordAction(call, spec, value);
    const answer = runCommand(ports, spec, value, call);
    return answer instanceof Promise
      ? answer.then((late) => ({ command, value, ...late }))
      : { command, value, ...answer };
  });
}
