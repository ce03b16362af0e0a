import * as z from 'zod';
import type { CreateDocumentOptions } from 'zod-openapi';

type Override = NonNullable<CreateDocumentOptions['override']>;
type SchemaContext = Parameters<Override>[0];
type Value = string | number | boolean;

/** What wraps a schema without another schema in the document: the wrapper's own description replaces the inner one. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'optional',
  'nullable',
  'default',
  'prefault',
  'nonoptional',
  'readonly',
  'catch',
]);

/**
 * Shows a schema so that the service can grow: a client generated from today's document must not throw on an answer
 * with a new member, nor on a value that is added to those of today. Only an enum with an id of its own is closed for
 * good. At run time the zod schemas stay as exact as they are written, and requests refuse unknown members in the
 * document as well.
 */
export const extensible: Override = ({ zodSchema, jsonSchema, io }) => {
  if (io === 'output') open(jsonSchema);
  const values = knownValuesOf(zodSchema, io);
  if (values === undefined) return;
  jsonSchema.description = withKnown(jsonSchema.description, values);
  if (jsonSchema.anyOf) return; // nullable: the type stands in the schema it wraps
  delete jsonSchema.const;
  delete jsonSchema.enum;
  jsonSchema.type = typeOf(values);
};

/** An answer may have more members, and its integers need no word on how large they can get. */
function open(jsonSchema: SchemaContext['jsonSchema']): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** The values of a literal, or of an enum without an id; of a request only a number or boolean that is the only one. */
function knownValuesOf(schema: SchemaContext['zodSchema'], io: SchemaContext['io']): readonly Value[] | undefined {
  const { def } = schema._zod;
  // as: the inner schema of a wrapper is one of zod's own types
  if (WRAPPERS.has(def.type) && 'innerType' in def) return knownValuesOf(def.innerType as typeof schema, io);
  if (z.globalRegistry.get(schema)?.id !== undefined) return undefined;
  // as: literals of this project are values of JSON, enums have texts
  const values =
    def.type === 'literal' ? (def.values as Value[]) : def.type === 'enum' ? Object.values(def.entries) : [];
  const [first] = values;
  if (first === undefined || (io === 'input' && (values.length > 1 || typeof first === 'string'))) return undefined;
  return values;
}

function typeOf([first]: readonly Value[]): 'string' | 'boolean' | 'integer' | 'number' {
  if (typeof first === 'string' || typeof first === 'boolean') return typeof first as 'string' | 'boolean'; // as: either
  return Number.isInteger(first) ? 'integer' : 'number';
}

/** A wrapper may inherit the description of what it wraps, with the values in it already. */
function withKnown(description: string | undefined, values: readonly Value[]): string {
  const listed = values.map((value) => `\`${value}\``).join(', ');
  const sentence = values.length === 1 ? `always ${listed}` : `known values: ${listed}`;
  if (description === undefined || description.endsWith(sentence)) return description ?? sentence;
  return `${description}; ${sentence}`;
}
