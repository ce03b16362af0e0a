import { apiDocumentOf } from '../../local-host/openapi/openapi.ts';
import { ROUTES } from '../../local-host/routes.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly description?: string;
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}
type Content = Readonly<Record<string, Media>>;

export interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: Schema }>;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Content }>>;
}

/** The document as it is served. */
export const served = JSON.parse(apiDocumentOf(ROUTES)().text);

export const models: Readonly<Record<string, Schema>> = served.components.schemas;

export const operations = Object.entries<Record<string, Operation>>(served.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

export const modelOf = ({ $ref = '' }: Schema) => models[$ref.replace('#/components/schemas/', '')] ?? {};

/** Every schema at or below one, by its place; of references only the place. */
export function* schemasBelow(schema: Schema, place: string): Generator<[place: string, schema: Schema]> {
  yield [place, schema];
  const parts: Array<[string, unknown]> = [
    ['items', schema.items],
    ['additionalProperties', schema.additionalProperties],
    ...Object.entries(schema.properties ?? {}),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
      ((schema[key] ?? []) as Schema[]).map((option, index): [string, unknown] => [`${key}/${index}`, option]),
    ),
  ];
  for (const [name, part] of parts) if (isSchema(part)) yield* schemasBelow(part, `${place}/${name}`);
}

const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null;

/** What clients send, or what they are answered, without what it refers to. */
export function schemasOf(side: 'requests' | 'answers'): Array<[place: string, schema: Schema]> {
  return operations.flatMap(({ operation }) => {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const contents = side === 'requests' ? [requestBody] : Object.values(responses);
    const bodies = contents.flatMap((content) => Object.entries(content?.content ?? {}));
    const given = side === 'requests' ? parameters.map(({ name, schema }): [string, Schema] => [name, schema]) : [];
    return [...given, ...bodies.map(([type, { schema }]): [string, Schema] => [type, schema])].flatMap(
      ([name, schema]) => [...schemasBelow(schema, `${operationId} ${name}`)],
    );
  });
}

/** The names of the models that one side uses, those included that other models refer to. */
export function modelsOf(side: 'requests' | 'answers'): Set<string> {
  const found = new Set<string>();
  const follow = (schemas: Array<[string, Schema]>) => {
    for (const [, { $ref }] of schemas) {
      const name = $ref?.replace('#/components/schemas/', '');
      if (name === undefined || found.has(name)) continue;
      found.add(name);
      follow([...schemasBelow(models[name] ?? {}, name)]);
    }
  };
  follow(schemasOf(side));
  return found;
}

/** Every schema of the document, by its place. */
export function everySchema(): Array<[place: string, schema: Schema]> {
  const named = Object.entries(models).flatMap(([name, schema]) => [...schemasBelow(schema, name)]);
  return [...schemasOf('requests'), ...schemasOf('answers'), ...named];
}
