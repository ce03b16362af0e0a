import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Access } from '../functions/shared/access.ts';
import type { EndpointSpec, InputSpec } from '../functions/shared/middleware/endpoint.ts';
import { problemResponses } from './openapi-problems.ts';
import type { Route, Version } from './routes.ts';

/** The groups of the specification, by the first segment of a path behind the version. */
const GROUPS: ReadonlyArray<readonly [group: string, segments: readonly string[]]> = [
  ['Authentication', ['auth', '.well-known']],
  ['Commands', ['coordinates', 'str', 'int', 'float', 'bool', 'dict', 'list', 'get', 'commands', 'stop']],
  ['Robot description', ['urdf', 'meshes']],
  ['Database', ['database', 'clear_database']],
  ['Skills', ['skill']],
  ['Network', ['network']],
  ['LLM configuration', ['llm_config']],
  ['Audio', ['volume']],
  ['System services', ['service']],
];
const OTHER_GROUP = 'Status and documentation';

export const TAGS = [...GROUPS.map(([name]) => ({ name })), { name: OTHER_GROUP }];

/** One operation of the document: a route in one of its versions. */
export function operation(route: Route, version: Version | undefined): ZodOpenApiOperationObject {
  const { spec } = route.endpoint;
  const description = [spec.description, accessSentence(spec.access), headSentence(route)].filter(Boolean).join('\n\n');
  return {
    operationId: operationId(route, version),
    tags: [groupOf(route.path)],
    summary: spec.summary,
    description,
    security: securityOf(spec.access),
    requestParams: parametersOf(route),
    ...(spec.input?.body ? { requestBody: requestBody(spec, spec.input.body) } : {}),
    responses: {
      '200': {
        description: 'Success',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
          ...(mintsToken(route) ? { Authorization: { $ref: '#/components/headers/Authorization' } } : {}),
        },
        content: contentOf(spec.output),
      },
      ...withoutWhole(spec),
      ...problemResponses(spec),
    },
  };
}

/** `v1_postInt`, `v2_getDatabaseReadItem`, `v2_postCommandsByCommand`: unique, and stable as long as the path is. */
function operationId({ method, path }: Route, version: Version | undefined): string {
  const words = segmentsOf(path).flatMap((segment) => {
    const parameter = /^\{(\w+)\+?\}$/.exec(segment)?.[1];
    return parameter === undefined ? segment.split(/[^A-Za-z0-9]+/) : ['by', ...parameter.split('_')];
  });
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return `${version === undefined ? '' : `${version}_`}${method.toLowerCase()}${name}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== 'api' && segment !== '{version}');
}

function groupOf(path: string): string {
  const first = segmentsOf(path)[0] ?? '';
  return GROUPS.find(([, segments]) => segments.includes(first))?.[0] ?? OTHER_GROUP;
}

/** The new token stands in a response header (specification, section 5.1). */
function mintsToken({ path, endpoint }: Route): boolean {
  return groupOf(path) === 'Authentication' && endpoint.spec.access !== 'public';
}

function accessSentence(access: Access): string {
  if (typeof access !== 'string') return `Needs a token of access level ${access.join(' or ')}.`;
  switch (access) {
    case 'public':
      return 'Open to anybody.';
    case 'api-key':
      return 'Needs an API key; over the Unix socket none.';
    case 'any-token':
      return 'Needs a valid token of any access level.';
    case 'any-recent-token':
      return 'Needs a token of any access level, valid or expired less than 10 minutes ago; over the Unix socket none.';
  }
}

function headSentence({ safe }: Route): string {
  return safe ? 'HEAD is answered too.' : '';
}

function securityOf(access: Access): Array<Record<string, string[]>> {
  if (access === 'public') return [];
  return [access === 'api-key' ? { apiKeyAuth: [] } : { bearerAuth: [] }];
}

/** Headers that OpenAPI tells by other means; as parameters they are ignored (OpenAPI 3.1, section 4.8.12). */
const IMPLIED = new Set(['accept', 'content-type', 'authorization']);

type Parameters = NonNullable<ZodOpenApiOperationObject['requestParams']>;

/** The version stands in the path of each operation already; every other parameter of the path gets a schema. */
function parametersOf({ path, endpoint }: Route): Parameters {
  const input: InputSpec = endpoint.spec.input ?? {};
  const known = shapeOf(input.path);
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1] ?? '').filter((name) => name !== 'version');
  const pathShape = Object.fromEntries(names.map((name) => [name, known[name] ?? z.string()]));
  const headers = Object.fromEntries(Object.entries(shapeOf(input.headers)).filter(([name]) => !IMPLIED.has(name)));
  return {
    ...(names.length > 0 ? { path: z.object(pathShape) } : {}),
    ...(input.query ? { query: input.query as NonNullable<Parameters['query']> } : {}), // as: query schemas are objects
    ...(Object.keys(headers).length > 0 ? { header: z.object(headers) } : {}),
  };
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  if (schema instanceof z.ZodObject) return schema.shape;
  return schema instanceof z.ZodPipe ? shapeOf(schema.in as z.ZodType) : {}; // as: zod's own types are classic types here
}

function requestBody(spec: EndpointSpec, schema: z.ZodType): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const mediaType = spec.bodyType === 'multipart' ? 'multipart/form-data' : 'application/json';
  return { required: !spec.bodyOptional, content: { [mediaType]: { schema, ...exampleOf(schema) } } };
}

function contentOf(output: EndpointSpec['output']) {
  const { json, mediaTypes } = output instanceof z.ZodType ? { json: output, mediaTypes: [] } : output;
  const others = Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' as const } : {} }]),
  );
  return json ? { 'application/json': { schema: json, ...exampleOf(json) }, ...others } : others;
}

/** What an answer may be that does not carry the whole: a part (206), or nothing new (304). RFC 9110, sections 13 and 14. */
function withoutWhole({ input, output }: EndpointSpec) {
  const headers = shapeOf(input?.headers);
  const part = { description: 'The range asked for', content: contentOf(output) };
  return {
    ...('range' in headers ? { '206': part } : {}),
    ...('if-none-match' in headers ? { '304': { description: 'The client holds this already' } } : {}),
  };
}

function exampleOf(schema: z.ZodType): { example?: unknown } {
  const example = z.globalRegistry.get(schema)?.example;
  return example === undefined ? {} : { example };
}
