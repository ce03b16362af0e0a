import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { PROBLEMS } from '../../../../functions/shared/errors.ts';
import { endpoint } from '../../../../functions/shared/pipeline/endpoint.ts';
import { Reply } from '../../../../functions/shared/pipeline/reply.ts';
import { concretePaths } from '../../../../local-host/http/router.ts';
import { apiDocumentOf, createApiDocument } from '../../../../local-host/openapi/openapi.ts';
import { ROUTES, type Route } from '../../../../local-host/routes.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

const served = JSON.parse(apiDocumentOf(ROUTES)().text);
const operations = Object.entries<Record<string, Operation>>(served.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(served));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(served.openapi).toBe('3.1.0');
  });

  it('has exactly the routes of the route table, per version', () => {
    const routes = ROUTES.flatMap((route) =>
      concretePaths(route).map((path) => `${route.method} ${path.replace(/\{(\w+)\+\}/, '{$1}')}`),
    );
    expect(operations.map(({ route }) => route).sort()).toEqual(routes.sort());
  });

  it('gives every operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every error code, and only problems from 400 on', () => {
    expect(Object.keys(served.components.examples).sort()).toEqual(Object.keys(PROBLEMS).sort());
    for (const { operation } of operations) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) expect(Object.keys(content)).toEqual(['application/problem+json']);
      }
    }
  });

  it.each([
    ['/api/v2/llm_config/', ['application/json', 'application/yaml']],
    ['/api/v1/service/{system}/{service_name}', ['application/json', 'text/plain', 'text/event-stream']],
  ])('lists several response types for %s', (path, forms) => {
    expect(Object.keys(served.paths[path].get.responses['200'].content)).toEqual(forms);
  });

  it('is generated once and keeps its entity tag', () => {
    const read = apiDocumentOf(ROUTES);
    expect(read()).toBe(read());
    expect(read().etag).toMatch(/^"[\w-]{43}"$/);
  });
});

/** Every object of the document below a node, those it refers to included, by where it stands. */
function* objectsBelow(node: unknown, place: string, seen = new Set<unknown>()): Generator<[string, Schema]> {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  yield [place, node];
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref') yield* objectsBelow(referred(value), value, seen);
    else yield* objectsBelow(value, `${place}/${key}`, seen);
  }
}

const referred = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, part) => node[part], served);

interface Schema {
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly const?: unknown;
  readonly enum?: unknown;
}

const isClosed = (schema: Schema) => schema.additionalProperties === false || schema.unevaluatedProperties === false;

describe('A client generated from the document', () => {
  const placesOf = (root: unknown, place: string, wanted: (schema: Schema) => boolean) =>
    [...objectsBelow(root, place)].filter(([, schema]) => wanted(schema)).map(([where]) => where);

  it('accepts answers with members added later', () => {
    const answers = operations.map(({ operation }) => operation.responses);
    expect(placesOf(answers, '#answers', isClosed)).toEqual([]);
    expect(placesOf(answers, '#answers', () => true)).toContain('#/components/schemas/Problem/properties/errors/items');
  });

  it("accepts values beyond today's constants, which are documented", () => {
    const isPinned = (value: unknown) => typeof value === 'number' || typeof value === 'boolean';
    const pins = (schema: Schema) =>
      isPinned(schema.const) || (Array.isArray(schema.enum) && schema.enum.length === 1 && isPinned(schema.enum[0]));
    expect(placesOf(served, '#', pins)).toEqual([]);
    const { TokenAnswer, Skill, WifiConfigured } = served.components.schemas;
    expect(TokenAnswer.properties.expires_in).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: 1800,
      example: 1800,
      description: 'seconds; 1800, less at the end of a session',
    });
    expect(WifiConfigured.properties.connected).toEqual({ type: 'boolean', description: 'always `true`' });
    expect(Skill.properties.validated.description).toMatch(/Python.*; always `false`$/);
  });

  it("accepts problems with codes added later, and knows today's", () => {
    const { code } = served.components.schemas.Problem.properties;
    expect({ ...code, description: '' }).toEqual({ type: 'string', description: '' });
    expect(code.description).toContain('clients must accept codes that are not listed');
    for (const known of Object.keys(PROBLEMS)) expect(code.description).toContain(`\`${known}\``);
    expect(served.components.schemas.Problem).not.toHaveProperty('additionalProperties');
  });

  it('knows that requests refuse unknown members', () => {
    const { IntCommand, GamepadConfigModel, RenameSkill } = served.components.schemas;
    for (const request of [IntCommand, GamepadConfigModel, RenameSkill])
      expect(request.unevaluatedProperties).toBe(false);
  });
});

describe('An operation', () => {
  const made = endpoint({
    access: ['ENCHANTER', 'ADMIN'],
    summary: 'Turn a knob',
    description: 'It squeaks.',
    input: {
      path: z.strictObject({ knob: z.string().meta({ example: 'left' }) }),
      query: z.strictObject({ softly: z.stringbool().optional() }),
      body: z.strictObject({ degrees: z.int().min(0).max(360) }).meta({ id: 'Turn', example: { degrees: 90 } }),
    },
    output: z.object({ degrees: z.int() }).meta({ id: 'Turned', example: { degrees: 90 } }),
    errors: ['busy'],
  }).handler(() => ({ degrees: 90 }));
  const route: Route = {
    method: 'PUT',
    path: '/api/{version}/service/{knob+}',
    endpoint: made,
    versions: ['v1', 'v2'],
    cloud: false,
  };
  const { paths } = JSON.parse(JSON.stringify(createApiDocument([route])));
  const operation = paths['/api/v2/service/{knob}'].put;

  it("takes its parameters, body, answer and examples from the endpoint's schemas", () => {
    expect(operation.parameters).toMatchObject([
      { in: 'path', name: 'knob', required: true, schema: { type: 'string', example: 'left' } },
      { in: 'query', name: 'softly' },
    ]);
    expect(operation.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Turn' }, example: { degrees: 90 } } },
    });
    expect(operation.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Turned',
    });
  });

  it('shows a schema used both ways as strict in the request and open in the answer', () => {
    const Knob = z
      .strictObject({ marks: z.array(z.strictObject({ at: z.int() })) })
      .meta({ id: 'Knob', description: 'a knob' });
    const echo = endpoint({
      access: 'public',
      summary: 'Echo a knob',
      input: { path: z.object({ knob: z.string() }), body: Knob },
      output: Knob,
    }).handler(({ valid }) => valid.body);
    const { components, paths } = JSON.parse(JSON.stringify(createApiDocument([{ ...route, endpoint: echo }])));
    const { requestBody, responses } = paths['/api/v2/service/{knob}'].put;
    expect(requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Knob' });
    expect(responses['200'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/KnobOutput' });
    const { Knob: taken, KnobOutput: given } = components.schemas;
    expect([taken, taken.properties.marks.items].map(isClosed)).toEqual([true, true]);
    expect([given, given.properties.marks.items].map(isClosed)).toEqual([false, false]);
  });

  it('names the access levels it needs', () => {
    expect(operation.security).toEqual([{ bearerAuth: [] }]);
    expect(operation.description).toBe('It squeaks.\n\nNeeds a token of access level ENCHANTER or ADMIN.');
  });

  it('lists its own errors and those of the pipeline', () => {
    const codes = Object.values<{ content: { 'application/problem+json'?: { examples: object } } }>(
      operation.responses,
    ).flatMap(({ content }) => Object.keys(content['application/problem+json']?.examples ?? {}));
    expect(codes.sort()).toEqual(
      [
        'bad_request',
        'busy',
        'component_unavailable',
        'host_not_allowed',
        'insufficient_access',
        'internal_error',
        'key_revoked',
        'malformed_json',
        'missing_token',
        'request_timeout',
        'token_expired',
        'token_invalid',
        'too_large',
        'unsupported_media_type',
        'uri_too_long',
        'validation_failed',
      ].sort(),
    );
  });

  it('documents parameters without a schema as strings, and transformed headers', () => {
    const bare = endpoint({
      access: 'public',
      summary: 'Look at a knob',
      input: { headers: z.object({ 'if-none-match': z.string().optional() }).transform((headers) => headers) },
      output: { mediaTypes: ['text/plain'] },
    }).handler(() => new Reply('', {}));
    const { paths } = JSON.parse(
      JSON.stringify(createApiDocument([{ ...route, method: 'GET', endpoint: bare, versions: ['v2'] }])),
    );
    const { parameters, responses } = paths['/api/v2/service/{knob}'].get;
    expect(parameters).toMatchObject([
      { in: 'path', name: 'knob', schema: { type: 'string' } },
      { in: 'header', name: 'if-none-match' },
    ]);
    expect(Object.keys(responses)).toContain('304');
  });
});
