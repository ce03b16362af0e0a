import type * as z from 'zod';
import { type Fault, ServiceError } from '../shared/errors.ts';
import { type JsonValue, jsonPointer } from '../shared/kit/json.ts';
import { messagesFor, unknownName } from '../shared/pipeline/issue-messages.ts';
import { invalid } from '../shared/pipeline/parse-input.ts';
import { argsSchema } from '../shared/robot-link/command-args.ts';
import type { CommandKind, CommandSpec, ItemKind } from '../shared/robot-link/port.ts';
import { VALUE_PAYLOADS } from './command.schema.ts';

const KIND_NAMES: Record<CommandKind, string> = {
  coordinates: 'coordinates',
  str: 'a string',
  int: 'an integer',
  float: 'a number',
  bool: 'a boolean',
  dict: 'an object',
  list: 'a list',
  none: 'no value',
};

/** `wrong_value_type`: the command takes another kind of value. The detail names the right kind and route. */
export function wrongKind(spec: CommandSpec, pointer: string): ServiceError {
  const { name, kind, motion } = spec;
  const route =
    kind === 'none'
      ? `${motion ? '' : `GET /api/{version}/get/${name} or `}POST /api/v2/commands/${name}/`
      : `POST /api/{version}/${kind}/ or /api/v2/commands/${name}/`;
  const message = `The command "${name}" takes ${KIND_NAMES[kind]} (kind ${kind}): ${route}.`;
  return new ServiceError('wrong_value_type', { detail: message, errors: [{ pointer, message }] });
}

/**
 * Parses a value of unknown kind as the kind the command takes, and fills in missing coordinates.
 * @throws ServiceError `wrong_value_type` for another kind or a missing value; `validation_failed` for errors inside
 * it.
 */
export function valueFor(spec: CommandSpec, value: JsonValue | undefined): JsonValue | undefined {
  if (spec.kind === 'none') {
    if (value === undefined || value === null) return undefined;
    throw wrongKind(spec, '/value');
  }
  const schema: z.ZodType<{ value: JsonValue }> = VALUE_PAYLOADS[spec.kind];
  const parsed = schema.safeParse({ value }, messagesFor('body'));
  if (parsed.success) return parsed.data.value;
  const { issues } = parsed.error;
  if (issues.some(({ code, path }) => code === 'invalid_type' && path.length === 1)) throw wrongKind(spec, '/value');
  throw invalid(issues.flatMap((issue) => faultsOf(issue)));
}

/**
 * Checks a value against the bounds, items and arguments in the robot's catalogue.
 * @throws ServiceError `validation_failed` with pointer `/value`, or `/value/n` in a list.
 */
export function assertValueInBounds({ name, bounds, unit, items, args }: CommandSpec, value: JsonValue): void {
  if (bounds && typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
    if (!(value >= minimum && value <= maximum)) {
      const message = `The value of "${name}" must be ${rangeOf(bounds)}${unit === undefined ? '' : ` ${unit}`}.`;
      throw invalid([{ pointer: '/value', message }]);
    }
  }
  if (items && Array.isArray(value)) {
    const { plural, matches } = ITEMS[items];
    const message = `All items of this list must be ${plural}.`;
    const faults = value.flatMap((item, index) => (matches(item) ? [] : [{ pointer: `/value/${index}`, message }]));
    if (faults.length > 0) throw invalid(faults);
  }
  if (args) {
    const { error } = argsSchema(args).safeParse(value, messagesFor('body', ['value']));
    if (error) throw invalid(error.issues.flatMap((issue) => faultsOf(issue, ['value'])));
  }
}

const ITEMS: Record<ItemKind, { readonly plural: string; readonly matches: (item: JsonValue) => boolean }> = {
  str: { plural: 'strings', matches: (item) => typeof item === 'string' },
  int: { plural: 'integers', matches: (item) => Number.isSafeInteger(item) },
  float: { plural: 'numbers', matches: (item) => typeof item === 'number' },
  bool: { plural: 'booleans', matches: (item) => typeof item === 'boolean' },
};

function rangeOf({ minimum, maximum }: NonNullable<CommandSpec['bounds']>): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}

function faultsOf(issue: z.core.$ZodIssue, root: readonly PropertyKey[] = []): Fault[] {
  const at = (path: readonly PropertyKey[]) => jsonPointer([...root, ...path]);
  if (issue.code !== 'unrecognized_keys') return [{ pointer: at(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({
    pointer: at([...issue.path, key]),
    message: unknownName('body', issue.path, key, issue.message),
  }));
}
