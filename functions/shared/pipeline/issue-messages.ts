import type * as z from 'zod';

/** What a schema parses: a part of a request, or a document from somewhere else that errors tell of. */
export type Part = 'path' | 'query' | 'headers' | 'body' | 'message' | 'document';

type Issue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

/** Longest name from a request that a message repeats. */
const MAX_NAME_CHARS = 64;

/**
 * The options for `safeParse` with which every issue reads as a sentence that says how to mend the request. A message
 * of the schema's own is kept. `root` is where the value stands in its part.
 */
export function messagesFor(part: Part, root: Path = []): { readonly error: (issue: Issue) => string } {
  if (root.length === 0) return MESSAGES[part];
  return { error: (issue) => messageOf(part, { ...issue, path: [...root, ...(issue.path ?? [])] }) };
}

const MESSAGES: Readonly<Record<Part, { readonly error: (issue: Issue) => string }>> = {
  path: { error: (issue: Issue) => messageOf('path', issue) },
  query: { error: (issue: Issue) => messageOf('query', issue) },
  headers: { error: (issue: Issue) => messageOf('headers', issue) },
  body: { error: (issue: Issue) => messageOf('body', issue) },
  message: { error: (issue: Issue) => messageOf('message', issue) },
  document: { error: (issue: Issue) => messageOf('document', issue) },
};

/** The message of one unknown name; `known` is what the schema says of the names it knows. */
export function unknownName(part: Part, path: Path, name: string, known = 'None are known here.'): string {
  const what = part === 'query' && path.length === 0 ? 'query parameter' : 'member';
  return `Unknown ${what} "${shortened(name)}". ${known}`;
}

function messageOf(part: Part, issue: Issue): string {
  const path = issue.path ?? [];
  if (issue.code === 'unrecognized_keys') {
    const known = namesIn(issue.inst);
    return known.length === 0 ? 'None are known here.' : `Known here: ${known.join(', ')}.`; // one issue for several names
  }
  if (path.length === 0) return `The ${part} ${requirement(issue, part)}`;
  if (issue.input === undefined && issue.code !== 'custom') return missing(part, path);
  return `"${nameOf(path)}" ${requirement(issue, part)}`;
}

/** What is required, and where it goes. */
function missing(part: Part, path: Path): string {
  const name = nameOf(path);
  const [first] = path;
  if (part === 'headers') return `The header "${name}" is required.`;
  if (part === 'path') return `"${name}" is required in the path.`;
  if (part === 'message' || part === 'document') return `"${name}" is required.`;
  if (part === 'body') return `"${name}" is required: add it to the JSON body.`;
  return path.length === 1
    ? `"${name}" is required: add "?${name}=…" to the URL.`
    : `"${name}" is required: add it to the JSON in the query parameter "${String(first)}".`;
}

/** What an issue asks for, as the rest of a sentence about the value. */
function requirement(issue: Issue, part: Part): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeRequirement(issue, part);
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}.`;
    case 'too_big':
      return issue.exact
        ? `must ${sized(issue.origin, 'exactly', issue.maximum)}.`
        : `must ${sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}.`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty.';
      return issue.exact
        ? `must ${sized(issue.origin, 'exactly', issue.minimum)}.`
        : `must ${sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}.`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`;
    case 'invalid_format':
      return `must ${formatRequirement(issue)}.${part === 'query' ? plusHint(issue) : ''}`;
    case 'invalid_union':
      return unionRequirement(issue);
    case 'invalid_key':
      return `has a name that is not allowed: ${issue.issues.map(({ message }) => message).join(' ')}`;
    default:
      return 'is not valid here; GET /openapi.json describes what is.';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
};

function typeRequirement(issue: Extract<Issue, { code: 'invalid_type' }>, part: Part): string {
  if (issue.expected === 'never') return 'must be left out.';
  const expected = isInteger(issue.inst) ? 'an integer' : (KINDS[issue.expected] ?? `a ${issue.expected}`);
  const names = namesIn(issue.inst, 'required');
  if (part === 'body' && (issue.path ?? []).length === 0 && names.length > 0) {
    return `is ${kindOf(issue.input)} and must be ${expected}; wrap it: {${names.map((name) => `"${name}": …`).join(', ')}}.`;
  }
  const fraction = issue.expected === 'int' && typeof issue.input === 'number';
  return `must be ${expected}, not ${fraction ? 'a fraction' : kindOf(issue.input)}.`;
}

function isInteger(schema: Issue['inst']): boolean {
  return (schema?._zod.def as { format?: string } | undefined)?.format === 'safeint'; // as: only number formats have one
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'one that is not finite';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return 'a boolean';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  object: 'members',
  record: 'members',
};

function sized(origin: string, limit: string, size: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${limit} ${size}` : `have ${limit} ${size} ${size === 1 ? unit.slice(0, -1) : unit}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'be a date and time with its offset (RFC 3339), as in 2026-05-04T10:20:30Z',
  date: 'be a date, as in 2026-05-04',
  time: 'be a time, as in 10:20:30',
  duration: 'be a duration (ISO 8601), as in PT5M',
  email: 'be an email address',
  url: 'be a URL',
  uuid: 'be a UUID',
  guid: 'be a UUID',
  ipv4: 'be an IPv4 address',
  ipv6: 'be an IPv6 address',
  base64: 'be base64',
};

function formatRequirement(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { format, pattern, prefix, suffix, includes } = issue as Readonly<Record<string, unknown>> & typeof issue; // as: which of these there is depends on the format
  if (format === 'starts_with') return `start with "${prefix}"`;
  if (format === 'ends_with') return `end with "${suffix}"`;
  if (format === 'includes') return `contain "${includes}"`;
  return FORMATS[format] ?? (pattern === undefined ? `be of the format ${format}` : `match ${pattern}`);
}

/** In a query a bare plus sign is a space, as in `2026-05-04T10:20:30+02:00`. */
function plusHint({ input }: Issue): string {
  return typeof input === 'string' && input.includes(' ') ? ' Write a plus sign as %2B in a URL.' : '';
}

function unionRequirement(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const named = valuesOf(issue);
  if (named.length > 0) return `must be ${oneOf(named)}.`;
  if (issue.inclusive === false) return 'fits several of the forms allowed here, and must fit exactly one.';
  const forms = issue.errors.map(([first]) => first);
  const kinds = forms.flatMap((form) =>
    form?.code === 'invalid_type' && form.path.length === 0 ? [KINDS[form.expected] ?? form.expected] : [],
  );
  if (kinds.length > 0 && kinds.length === forms.length) return `must be ${oneOf([...new Set(kinds)])}.`;
  const reasons = forms.flatMap((form) => (form ? [form.message] : []));
  return `has none of the forms allowed here${reasons.length === 0 ? '.' : `: ${reasons.join(' Or: ')}`}`;
}

/** The values of the member that tells the forms of a union apart, where the issue is about that member. */
function valuesOf({ inst, path = [] }: Extract<Issue, { code: 'invalid_union' }>): string[] {
  const union = inst?._zod as z.core.$ZodDiscriminatedUnionInternals | undefined; // as: others have no discriminator
  const name = union?.def.discriminator;
  if (name === undefined || path.at(-1) !== name) return [];
  return [...(union?.propValues[name] ?? [])].map((value) => JSON.stringify(value));
}

function oneOf(choices: readonly string[]): string {
  if (choices.length < 2) return choices.join('');
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** The members that an object schema lists; with `required` the required ones, or all when none is. */
function namesIn(schema: Issue['inst'], which: 'all' | 'required' = 'all'): string[] {
  const shape = (schema?._zod.def as { shape?: Record<string, z.core.$ZodType> } | undefined)?.shape; // as: only object schemas have one
  const all = Object.entries(shape ?? {});
  const required = all.filter(([, { _zod }]) => _zod.optin === undefined || _zod.def.type === 'unknown');
  return (which === 'required' && required.length > 0 ? required : all).map(([name]) => name);
}

/** `config[0].touch` for a path into the request. */
function nameOf(path: Path): string {
  const text = path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
  return shortened(text);
}

function shortened(name: string): string {
  return name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS).replace(/[\ud800-\udbff]$/, '')}…`;
}
