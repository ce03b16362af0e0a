import type { CreateDocumentOptions } from 'zod-openapi';

type Override = NonNullable<CreateDocumentOptions['override']>;
type SchemaContext = Parameters<Override>[0];

/** What wraps a schema without another schema in the document: the wrapper's own description replaces the inner one. */
const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);

/**
 * Shows a schema so that the service can grow: a client generated from today's document must not throw on an answer with
 * a new member, nor on the second value of a number or a boolean that has one value today. At run time the zod schemas
 * stay as exact as they are written, and requests refuse unknown members in the document as well.
 */
export const extensible: Override = ({ zodSchema, jsonSchema, io }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  const value = onlyValueOf(zodSchema);
  if (typeof value !== 'boolean' && typeof value !== 'number') return;
  delete jsonSchema.const;
  jsonSchema.type = typeof value === 'boolean' ? 'boolean' : Number.isInteger(value) ? 'integer' : 'number';
  jsonSchema.description = withOnlyValue(jsonSchema.description, value);
};

function onlyValueOf(schema: SchemaContext['zodSchema']): unknown {
  const { def } = schema._zod;
  if (def.type === 'literal') return def.values.length === 1 ? def.values[0] : undefined;
  // as: the inner schema of a wrapper is one of zod's own types
  return WRAPPERS.has(def.type) && 'innerType' in def ? onlyValueOf(def.innerType as typeof schema) : undefined;
}

/** A wrapper may inherit the description of what it wraps, with the value in it already. */
function withOnlyValue(description: string | undefined, value: boolean | number): string {
  const sentence = `always \`${value}\``;
  if (description === undefined || description.endsWith(sentence)) return description ?? sentence;
  return `${description}; ${sentence}`;
}
