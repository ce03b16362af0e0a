import type * as z from 'zod';
import type { CommandKind, CommandSpec } from '../shared/adapters/robot-link/port.ts';
import { type Fault, ServiceError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import { invalid } from '../shared/middleware/parse-input.ts';
import { escapePointer } from '../shared/middleware/plain-json.ts';
import { VALUE_PAYLOADS } from './command.schema.ts';

const ARTICLE: Record<CommandKind, string> = {
  coordinates: 'coordinates',
  str: 'a string',
  int: 'an integer',
  float: 'a number',
  bool: 'a boolean',
  dict: 'an object',
  list: 'a list',
  none: 'no value',
};

/** `wrong_value_type`: the command is asked for in the way of another kind. Names the right kind and route. */
export function wrongKind(spec: CommandSpec, pointer: string): ServiceError {
  const { name, kind } = spec;
  const route =
    kind === 'none' ? `GET /api/{version}/get/${name}` : `POST /api/{version}/${kind}/ or /api/v2/commands/${name}/`;
  const message = `The command "${name}" takes ${ARTICLE[kind]} (kind ${kind}): ${route}.`;
  return new ServiceError('wrong_value_type', { detail: message, errors: [{ pointer, message }] });
}

/**
 * A value that may be of any kind, as one of the kind the command takes; coordinates are completed.
 * @throws ServiceError `wrong_value_type` for another kind or a missing value; `validation_failed` for faults inside it.
 */
export function valueFor(spec: CommandSpec, value: JsonValue | undefined): JsonValue | undefined {
  if (spec.kind === 'none') {
    if (value === undefined) return undefined;
    throw wrongKind(spec, '/value');
  }
  const schema: z.ZodType<{ value: JsonValue }> = VALUE_PAYLOADS[spec.kind];
  const parsed = schema.safeParse({ value });
  if (parsed.success) return parsed.data.value;
  const { issues } = parsed.error;
  if (issues.some(({ code, path }) => code === 'invalid_type' && path.length === 1)) throw wrongKind(spec, '/value');
  throw invalid(issues.flatMap(faultsOf));
}

/** Checks what only the catalogue knows. Error: `validation_failed` with pointer `/value`, or `/value/n` in a list. */
export function requireFittingValue({ name, bounds, unit, items }: CommandSpec, value: JsonValue): void {
  if (bounds && typeof value === 'number' && !(value >= bounds.minimum && value <= bounds.maximum)) {
    const range = `${bounds.minimum} to ${bounds.maximum}${unit === undefined ? '' : ` ${unit}`}`;
    throw invalid([{ pointer: '/value', message: `The value of "${name}" lies outside ${range}.` }]);
  }
  if (items === 'str' && Array.isArray(value)) {
    const faults = value.flatMap((item, index) => (typeof item === 'string' ? [] : [notAString(index)]));
    if (faults.length > 0) throw invalid(faults);
  }
}

function notAString(index: number): Fault {
  return { pointer: `/value/${index}`, message: 'This list holds strings only.' };
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const at = (path: readonly PropertyKey[]) => path.map((key) => `/${escapePointer(String(key))}`).join('');
  if (issue.code !== 'unrecognized_keys') return [{ pointer: at(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ pointer: at([...issue.path, key]), message: `"${key}" is not known here.` }));
}
