import type * as z from 'zod';
import type { JsonValue } from '../shared/kit/json.ts';
import { type Endpoint, endpoint } from '../shared/pipeline/endpoint.ts';
import { clock, config } from '../shared/ports.ts';
import type { CommandKind, CommandSpec } from '../shared/robot-link/port.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { CommandResult } from './command.schema.ts';
import { wrongKind } from './command-value.ts';
import { runCommand } from './run-command.ts';

/** Errors that any command may return in addition to those of the pipeline. */
export const COMMAND_ERRORS = [
  'unknown_command',
  'wrong_value_type',
  'busy',
  'not_ready',
  'stopped',
  'estop_engaged',
  'lease_held',
  'lease_required',
  'lease_lost',
  'estop_engaged',
  'driven_elsewhere',
  'storage_full',
  'robot_error',
  'robot_unavailable',
  'robot_timeout',
] as const;

/** An endpoint for commands of one kind, whose body names the command (specification, section 4.2). */
export function typedCommand(
  kind: CommandKind,
  body: z.ZodType<{ command: string; value: JsonValue }>,
  summary: string,
): Endpoint {
  return endpoint({
    access: 'any-token',
    perRobot: true,
    renewsToken: true,
    summary,
    input: { body },
    commandBody: true,
    exactIntegers: true,
    output: CommandResult,
    errors: COMMAND_ERRORS,
    uses: { robotLink, config, clock },
  }).handler((call, ports) => {
    const assertKind = (spec: CommandSpec) => {
      if (spec.kind !== kind) throw wrongKind(spec, '/command');
    };
    return runCommand(ports, { ...call.valid.body, assertKind }, call);
  });
}
