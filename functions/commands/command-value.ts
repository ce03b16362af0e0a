import type * as z from 'zod';
import type { CommandKind, CommandSpec, ItemKind } from '../shared/adapters/robot-link/port.ts';
import { argsSchema } from '../shared/command-args.ts';
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
  const { name, kind, motion } = spec;
  const route =
    kind === 'none'
      ? `${motion ? '' : `GET /api/{version}/get/${name} or `}POST /api/v2/commands/${name}/`
      : `POST /api/{version}/${kind}/ or /api/v2/commands/${name}/`;
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
  throw invalid(issues.flatMap((issue) => faultsOf(issue)));
}

/** Checks what only the catalogue knows. Error: `validation_failed` with pointer `/value`, or `/value/n` in a list. */
export function requireFittingValue({ name, bounds, unit, items, args }: CommandSpec, value: JsonValue): void {
  if (bounds && typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
    if (!(value >= minimum && value <= maximum)) {
      const message = `The value of "${name}" lies outside ${rangeOf(bounds)}${unit === undefined ? '' : ` ${unit}`}.`;
      throw invalid([{ pointer: '/value', message }]);
    }
  }
  if (items && Array.isArray(value)) {
    const { plural, fits } = ITEMS[items];
    const message = `This list holds ${plural} only.`;
    const faults = value.flatMap((item, index) => (fits(item) ? [] : [{ pointer: `/value/${index}`, message }]));
    if (faults.length > 0) throw invalid(faults);
  }
  if (args) {
    const { error } = argsSchema(args).safeParse(value);
    if (error) throw invalid(error.issues.flatMap((issue) => faultsOf(issue, ['value'])));
  }
}

const ITEMS: Record<ItemKind, { readonly plural: string; readonly fits: (item: JsonValue) => boolean }> = {
  str: { plural: 'strings', fits: (item) => typeof item === 'string' },
  int: { plural: 'integers', fits: (item) => Number.isSafeInteger(item) },
  float: { plural: 'numbers', fits: (item) => typeof item === 'number' },
  bool: { plural: 'booleans', fits: (item) => typeof item === 'boolean' },
};

function rangeOf({ minimum, maximum }: NonNullable<CommandSpec['bounds']>): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

function faultsOf(issue: z.core.$ZodIssue, root: readonly PropertyKey[] = []): Fault[] {
  const at = (path: readonly PropertyKey[]) =>
    [...root, ...path].map((key) => `/${escapePointer(String(key))}`).join('');
  if (issue.code !== 'unrecognized_keys') return [{ pointer: at(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ pointer: at([...issue.path, key]), message: `"${key}" is not known here.` }));
}
