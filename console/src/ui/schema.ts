import type { Command } from '../../../clients/typescript/src/index.ts';
import { membersOf } from '../state/objects.ts';
import { texts } from '../texts.ts';

/** How a value is typed. */
export type FieldKind = 'number' | 'integer' | 'text' | 'yes-no' | 'choice' | 'lines' | 'json';

export interface Field {
  /** Member of the object; empty for the value as a whole. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly unit: string | undefined;
  readonly isNeeded: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly choices: readonly unknown[];
  /** Of the items of `lines`. */
  readonly items: string | undefined;
  readonly about: string | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

const BY_KIND: Readonly<Record<Command['kind'], Schema>> = {
  coordinates: {
    type: 'object',
    properties: Object.fromEntries(['x', 'y', 'z', 'theta'].map((name) => [name, { type: 'number' }])),
  },
  str: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  dict: { type: 'object' },
  list: { type: 'array' },
  none: {},
};

/** What has to be typed for a command: a field for each member of an object, else one for the whole value. */
export function fieldsOf({ kind, args, bounds, unit, items }: Command): Field[] {
  if (kind === 'none') return [];
  const schema: Schema = {
    ...BY_KIND[kind],
    ...(kind === 'list' && items ? { items: { type: TYPE_OF_ITEM[items] } } : {}),
    ...(unit === undefined ? {} : { 'x-unit': unit }),
    ...bounds,
    ...args,
  };
  const members = membersOf(schema.properties);
  if (members && Object.keys(members).length > 0) {
    const needed = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(members).map(([name, member]) =>
      fieldOf(name, membersOf(member) ?? {}, needed.includes(name)),
    );
  }
  return [fieldOf('', schema, true)];
}

const TYPE_OF_ITEM: Readonly<Record<string, string>> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
};

function fieldOf(name: string, schema: Schema, isNeeded: boolean): Field {
  const itemType = textOf(membersOf(schema.items)?.type);
  return {
    name,
    kind: kindOf(schema, itemType),
    title: textOf(schema.title) ?? (name === '' ? texts.commands.value : name),
    unit: textOf(schema['x-unit']),
    isNeeded,
    minimum: numberOf(schema.minimum),
    maximum: numberOf(schema.maximum),
    choices: Array.isArray(schema.enum) ? schema.enum : [],
    items: itemType,
    about: textOf(schema.description),
  };
}

function kindOf({ type, enum: choices }: Schema, itemType: string | undefined): FieldKind {
  if (Array.isArray(choices) && choices.length > 0) return 'choice';
  switch (type) {
    case 'number':
    case 'integer':
      return type;
    case 'string':
      return 'text';
    case 'boolean':
      return 'yes-no';
    case 'array':
      return itemType === 'string' || itemType === 'number' || itemType === 'integer' ? 'lines' : 'json';
    default:
      return 'json';
  }
}

/** What was typed, as a value. @throws Error with a sentence about the field. */
export function valueIn(fields: readonly Field[], typed: Readonly<Record<string, string>>): unknown {
  if (fields.length === 0) return undefined;
  const [only] = fields;
  if (only?.name === '') return parse(only, typed[''] ?? '');
  const members = fields.flatMap((field) => {
    const value = parse(field, typed[field.name] ?? '');
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(members);
}

/** As it would be typed. */
export function typedOf(fields: readonly Field[], value: unknown): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => [field.name, textFor(field, field.name === '' ? value : membersOf(value)?.[field.name])]),
  );
}

function textFor({ kind, choices }: Field, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'choice') return String(Math.max(0, choices.indexOf(value)));
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value);
}

function parse(field: Field, text: string): unknown {
  const t = texts.commands;
  const { kind, title, isNeeded, choices, items } = field;
  if (text.trim() === '' && !(kind === 'text' && isNeeded)) {
    if (!isNeeded) return undefined;
    if (kind === 'lines') return [];
    throw new Error(t.needed(title));
  }
  switch (kind) {
    case 'number':
    case 'integer':
      return numberIn(text, title);
    case 'yes-no':
      return text === 'true';
    case 'choice':
      return choices[Number(text)];
    case 'lines': {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return items === 'string' ? lines : lines.map((line) => numberIn(line, title));
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        throw new Error(t.notJson);
      }
    default:
      return text;
  }
}

function numberIn(text: string, title: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(texts.commands.notNumber(title));
  return value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
