import fc from 'fast-check';
import { anyCharacter } from '../characters.ts';

/** The part of JSON Schema (2020-12) that the service's own document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}

/** Follows a reference of the document. */
export type Find = (reference: string) => Schema;

/** Values that fit a schema, as far as its keywords are known here; an example of the schema comes often. */
export function arbitraryOf(schema: Schema, find: Find, depth = 0): fc.Arbitrary<unknown> {
  const made = withoutExamples(schema, find, depth);
  const examples = [...(schema.examples ?? []), ...(schema.example === undefined ? [] : [schema.example])];
  return examples.length === 0 ? made : fc.oneof(fc.constantFrom(...examples), made);
}

function withoutExamples(schema: Schema, find: Find, depth: number): fc.Arbitrary<unknown> {
  if (depth > 6) return fc.constant(null);
  const inner = (part: Schema) => arbitraryOf(part, find, depth + 1);
  if (schema.$ref !== undefined) return inner(find(schema.$ref));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  if (schema.allOf?.[0]) return inner(schema.allOf[0]);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => inner({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer(boundsOf(schema));
    case 'number':
      return fc.double({ ...boundsOf(schema), noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 4, 4) });
    case 'object':
      return objectOf(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function boundsOf({ minimum, maximum }: Schema): { min?: number; max?: number } {
  const least = -(2 ** 31);
  return { min: Math.max(minimum ?? least, least), max: Math.min(maximum ?? 2 ** 31 - 1, 2 ** 31 - 1) };
}

const THIS_CENTURY = { min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true };

function textOf({ pattern, format, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  const free = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)), unit: anyCharacter });
  if (format === 'date-time') return fc.date(THIS_CENTURY).map((date) => date.toISOString());
  if (pattern === undefined) return free;
  return fc.stringMatching(new RegExp(pattern, 'u'));
}

function objectOf(schema: Schema, inner: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, part]) => [name, inner(part)]),
  );
  if (Object.keys(properties).length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  return fc.record(properties, { requiredKeys: [...(schema.required ?? [])] });
}

/** A value with something about it changed: a member left out, put in or replaced, or another value altogether. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('', -1, 1e300, '\u0000', '../x', '__proto__', []),
  );
  return fc
    .tuple(value, fc.nat(), other, fc.constantFrom('drop', 'replace', 'add', 'whole'))
    .map(([whole, index, odd, how]) => {
      if (how === 'whole' || typeof whole !== 'object' || whole === null || Array.isArray(whole)) return odd;
      const names = Object.keys(whole);
      const name = names[index % Math.max(1, names.length)] ?? 'x';
      if (how === 'add') return { ...whole, [`x${index}`]: odd };
      if (how === 'replace') return { ...whole, [name]: odd };
      return Object.fromEntries(Object.entries(whole).filter(([member]) => member !== name));
    });
}
