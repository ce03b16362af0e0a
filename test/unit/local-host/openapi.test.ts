import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { PROBLEMS } from '../../../functions/shared/errors.ts';
import { endpoint } from '../../../functions/shared/middleware/endpoint.ts';
import { apiDocumentOf, createApiDocument } from '../../../local-host/openapi.ts';
import { concretePaths } from '../../../local-host/router.ts';
import { ROUTES, type Route } from '../../../local-host/routes.ts';

const served = JSON.parse(apiDocumentOf(ROUTES)().text);
const operations = Object.entries<Record<string, { operationId: string }>>(served.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(served));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(served.openapi).toBe('3.1.0');
  });

  it('names exactly the routes of the route table, each version apart', () => {
    const routes = ROUTES.flatMap((route) =>
      concretePaths(route).map((path) => `${route.method} ${path.replace(/\{(\w+)\+\}/, '{$1}')}`),
    );
    expect(operations.map(({ route }) => route).sort()).toEqual(routes.sort());
  });

  it('gives every operation an id of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('v1_postInt');
  });

  it('describes every error code and nothing but problems from 400 on', () => {
    expect(Object.keys(served.components.examples).sort()).toEqual(Object.keys(PROBLEMS).sort());
    for (const { operation } of operations) {
      const { responses } = operation as unknown as { responses: Record<string, { content: object }> };
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) expect(Object.keys(response.content)).toEqual(['application/problem+json']);
      }
    }
  });

  it.each([
    ['/api/v2/llm_config/', ['application/json', 'application/yaml']],
    ['/api/v1/service/{system}/{service_name}', ['application/json', 'text/plain', 'text/event-stream']],
  ])('says that %s answers in several forms', (path, forms) => {
    expect(Object.keys(served.paths[path].get.responses['200'].content)).toEqual(forms);
  });

  it('is made once and keeps its entity tag', () => {
    const read = apiDocumentOf(ROUTES);
    expect(read()).toBe(read());
    expect(read().etag).toMatch(/^"[\w-]{43}"$/);
  });
});

describe('an operation', () => {
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
    safe: false,
    cloud: false,
  };
  const { paths } = JSON.parse(JSON.stringify(createApiDocument([route])));
  const operation = paths['/api/v2/service/{knob}'].put;

  it('has its parameters, body, answer and examples from the schemas of the endpoint', () => {
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

  it('names the access levels it needs', () => {
    expect(operation.security).toEqual([{ bearerAuth: [] }]);
    expect(operation.description).toBe('It squeaks.\n\nNeeds a token of access level ENCHANTER or ADMIN.');
  });

  it('lists the errors of the pipeline and its own', () => {
    const codes = Object.values<{ content: { 'application/problem+json'?: { examples: object } } }>(
      operation.responses,
    ).flatMap(({ content }) => Object.keys(content['application/problem+json']?.examples ?? {}));
    expect(codes.sort()).toEqual(
      [
        'bad_request',
        'busy',
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
        'validation_failed',
      ].sort(),
    );
  });

  it('has parameters without a schema as texts, and headers behind a transformation too', () => {
    const bare = endpoint({
      access: 'public',
      summary: 'Look at a knob',
      input: { headers: z.object({ 'if-none-match': z.string().optional() }).transform((headers) => headers) },
      output: { mediaTypes: ['text/plain'] },
    }).handler(() => '');
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
