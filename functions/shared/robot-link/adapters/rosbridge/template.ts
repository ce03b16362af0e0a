import { type JsonObject, type JsonPath, type JsonValue, nonFiniteIn } from '../../../kit/json.ts';
import { FILTERS, type Filter, typeOf, type ValueType } from './filters.ts';

/** What references in a template may begin with, and the type of each. */
export type Roots = Readonly<Record<string, ValueType>>;
/** The values at hand when a template is filled in, by root. */
export type Scope = Readonly<Record<string, JsonValue | undefined>>;

/** A message or a result with references in it, checked and ready to be filled in. */
export interface Template {
  readonly type: ValueType;
  /** @throws UnfitValue for a reference to what is missing, of another type, or a number that is not finite. */
  readonly fill: (scope: Scope) => JsonValue;
}

/** A template that cannot work; `path` leads to the place inside it. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly path: JsonPath;

  constructor(path: JsonPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** A value that does not fit the reference to it: which one, and what was expected there. */
export class UnfitValue extends Error {
  override readonly name = 'UnfitValue';
  readonly root: string;
  readonly path: readonly string[];

  constructor(root: string, path: readonly string[], message: string) {
    super(message);
    this.root = root;
    this.path = path;
  }
}

const REFERENCE = /^\$([a-z]+)((?:\.[A-Za-z0-9_]+)*)((?:\|[a-z]+)*)$/;
/** `$x` is short for `$value.x`. */
const AXES = new Set(['x', 'y', 'z', 'theta']);
const ARTICLES: Record<ValueType, string> = {
  number: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  object: 'an object',
  list: 'a list',
  any: 'a value',
};

/**
 * Checks a template against the roots it may refer to. A string that begins with `$` is a reference,
 * `$value.name|string` for instance; `$$` is a single `$`; everything else is taken as it is.
 * @throws TemplateFault
 */
export function compileTemplate(source: JsonValue, roots: Roots, path: JsonPath = []): Template {
  if (typeof source === 'string' && source.startsWith('$')) {
    if (source.startsWith('$$')) return literal(source.slice(1));
    return compileReference(source, roots, path);
  }
  if (typeof source !== 'object' || source === null) return literal(source);
  if (Array.isArray(source)) {
    const items = source.map((item, index) => compileTemplate(item, roots, [...path, index]));
    return { type: 'list', fill: (scope) => items.map((item) => item.fill(scope)) };
  }
  const members = Object.entries(source).map(
    ([key, member]) => [key, compileTemplate(member, roots, [...path, key])] as const,
  );
  return {
    type: 'object',
    fill: (scope) => Object.fromEntries(members.map(([key, member]) => [key, member.fill(scope)])),
  };
}

function literal(value: JsonValue): Template {
  return { type: typeOf(value), fill: () => value };
}

function compileReference(source: string, roots: Roots, path: JsonPath): Template {
  const [, name = '', steps = '', pipe = ''] = REFERENCE.exec(source) ?? [];
  if (name === '') {
    throw new TemplateFault(
      path,
      `"${source}" is no reference; one looks like $value.name|string (write $$ for a single $)`,
    );
  }
  const short = AXES.has(name) && roots[name] !== undefined;
  const root = short ? 'value' : name;
  const type = roots[name];
  if (type === undefined) {
    const known = Object.keys(roots).map((each) => `$${each}`);
    throw new TemplateFault(
      path,
      `$${name} is not known here; ${known.length === 0 ? 'nothing' : known.join(', ')} is`,
    );
  }
  const walk = [...(short ? [name] : []), ...steps.split('.').slice(1)];
  if (steps !== '' && !['object', 'list', 'any'].includes(type)) {
    throw new TemplateFault(path, `$${name} is ${ARTICLES[type]} and has no part ${steps.slice(1)}`);
  }
  const reached = steps === '' ? type : partOf(roots, root, walk);
  const filters = pipe
    .split('|')
    .slice(1)
    .map((filter) => findFilter(filter, path));
  const result = filters.reduce((have, filter) => {
    if (filter.takes !== 'any' && have !== 'any' && filter.takes !== have) {
      throw new TemplateFault(path, `"${source}": the filter takes ${ARTICLES[filter.takes]}, not ${ARTICLES[have]}`);
    }
    return filter.gives;
  }, reached);
  return {
    type: result,
    fill: (scope) =>
      filters.reduce((value, filter) => pass(value, filter, root, walk), follow(scope[root], root, walk)),
  };
}

/** Parts of coordinates are numbers; of other values nothing is known. */
function partOf(roots: Roots, root: string, [first = '', ...rest]: readonly string[]): ValueType {
  return root === 'value' && AXES.has(first) && roots[first] === 'number' && rest.length === 0 ? 'number' : 'any';
}

function findFilter(name: string, path: JsonPath): Filter {
  const filter = FILTERS.get(name);
  if (filter) return filter;
  throw new TemplateFault(path, `there is no filter "${name}"; there are ${[...FILTERS.keys()].join(', ')}`);
}

function follow(start: JsonValue | undefined, root: string, steps: readonly string[]): JsonValue {
  const value = reach(start, steps);
  if (value === undefined) throw new UnfitValue(root, steps, 'it is missing');
  return finite(value, root, steps);
}

/** JSON has no number for infinity: it would leave as null. */
function finite(value: JsonValue, root: string, path: readonly string[]): JsonValue {
  const infinite = nonFiniteIn(value);
  if (!infinite) return value;
  throw new UnfitValue(root, [...path, ...infinite.map(String)], 'the number is too large to be sent');
}

/** The part of a value that keys and list positions lead to; undefined when there is none. */
export function reach(start: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  let value = start;
  for (const step of steps) {
    // Own members only: what every object has is no part of an answer.
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step]; // as: lists are read by their indices in the same way
  }
  return value;
}

function pass(value: JsonValue, filter: Filter, root: string, path: readonly string[]): JsonValue {
  const fits = filter.takes === 'any' || typeOf(value) === filter.takes;
  const result = fits ? filter.apply(value as never) : undefined; // as: its type was looked at
  if (result === undefined) throw new UnfitValue(root, path, `${ARTICLES[filter.takes]} of the right form is needed`);
  return finite(result, root, path);
}
