import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Access } from '../../functions/shared/access.ts';
import { ByteStream } from '../../functions/shared/pipeline/byte-stream.schema.ts';
import type { EndpointSpec, InputSpec } from '../../functions/shared/pipeline/spec.ts';
import { successStatus } from '../../functions/shared/pipeline/success-status.ts';
import { answersHead } from '../http/router.ts';
import type { Route, Version } from '../routes.ts';
import { operationId } from './operation-ids.ts';
import { problemResponses } from './problems.ts';

interface Group {
  readonly name: string;
  readonly description: string;
  /** The first segments, behind the version, of its paths. */
  readonly segments: readonly string[];
}

/** The groups of the specification. */
const GROUPS: readonly Group[] = [
  {
    name: 'Authentication',
    description: 'Tokens for API keys, the keys that verify them, and the certificate of TLS.',
    segments: ['auth', 'keys', 'certificate', '.well-known'],
  },
  {
    name: 'Commands',
    description: 'Commands and queries of the robot, its stop, and the lease on it.',
    segments: ['coordinates', 'str', 'int', 'float', 'bool', 'dict', 'list', 'get', 'commands', 'stop', 'lease'],
  },
  { name: 'Robot description', description: 'The URDF and its meshes.', segments: ['urdf', 'meshes'] },
  {
    name: 'Database',
    description: 'Tables, their rows, CSV files and snapshots.',
    segments: ['database', 'clear_database'],
  },
  {
    name: 'Whole robot',
    description: 'The whole robot in one file, and what happened in another.',
    segments: ['backup', 'incident'],
  },
  { name: 'Skills', description: 'Python files that the robot runs, and their runs.', segments: ['skill', 'runs'] },
  { name: 'Network', description: 'Wi-Fi.', segments: ['network'] },
  { name: 'LLM configuration', description: 'The settings of the language model.', segments: ['llm_config'] },
  { name: 'Audio', description: 'The system volume.', segments: ['volume'] },
  { name: 'Events', description: 'What happens, told as it happens.', segments: ['events'] },
  { name: 'System services', description: 'Units of systemd and their logs.', segments: ['service'] },
];
const OTHER_GROUP = 'Status and documentation';

export const TAGS = [
  ...GROUPS.map(({ name, description }) => ({ name, description })),
  { name: OTHER_GROUP, description: 'Monitoring and documentation of the service.' },
];

/** One operation of the document: a route in one of its versions. */
export function operation(route: Route, version: Version | undefined): ZodOpenApiOperationObject {
  const { spec } = route.endpoint;
  const older = version === 'v1' && route.path.includes('{version}');
  const description = [
    older && `The older form of ${olderFormOf(route)}.`,
    spec.description,
    accessSentence(spec.access),
    headSentence(route),
  ];
  return {
    operationId: operationId(route, version),
    tags: [groupOf(route.path)],
    summary: spec.summary,
    description: description.filter(Boolean).join('\n\n'),
    ...(older ? { deprecated: true } : {}),
    security: securityOf(spec.access),
    requestParams: parametersOf(route),
    ...(spec.input?.body ? { requestBody: requestBody(spec, spec.input.body) } : {}),
    responses: {
      [successStatus(spec)]: {
        description: 'Success',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
          ...(mintsToken(route) || (spec.renewsToken && version === 'v1')
            ? { Authorization: { $ref: '#/components/headers/Authorization' } }
            : {}),
          ...answerHeaders(spec),
        },
        content: contentOf(spec.output),
      },
      ...withoutWhole(spec),
      ...problemResponses(spec),
    },
  };
}

/** The operation of the same name in v2; what v1 alone has is an older form of another one. */
function olderFormOf(route: Route): string {
  const name = operationId(route, 'v2');
  return `\`${name.replace(/ByPost$/, '')}\``;
}

/** Who may ask for the state of something by its entity tag is told the tag. */
function answerHeaders({ input, answerHeaders: own = [] }: EndpointSpec) {
  const asked = shapeOf(input?.headers);
  const tagged = 'if-none-match' in asked || 'if-match' in asked;
  const names = [...own, ...(tagged ? ['ETag'] : [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== 'api' && segment !== '{version}');
}

function groupOf(path: string): string {
  const first = segmentsOf(path)[0] ?? '';
  return GROUPS.find(({ segments }) => segments.includes(first))?.name ?? OTHER_GROUP;
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

function headSentence(route: Route): string {
  return answersHead(route) ? 'HEAD is answered too.' : '';
}

function securityOf(access: Access): Array<Record<string, string[]>> {
  if (access === 'public') return [];
  return [access === 'api-key' ? { apiKeyAuth: [] } : { bearerAuth: [] }];
}

/** Headers that OpenAPI tells by other means (OpenAPI 3.1, section 4.8.12), or that HTTP clients send by themselves. */
const IMPLIED = new Set(['accept', 'accept-encoding', 'host', 'content-type', 'authorization']);

type SchemaObject = { readonly type: 'object' | 'string'; readonly [keyword: string]: unknown };
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
  const mediaType =
    spec.bodyStream?.mediaType ?? (spec.bodyType === 'multipart' ? 'multipart/form-data' : 'application/json');
  const json = spec.bodyStream?.json;
  if (json) {
    const content = { [mediaType]: { schema: ByteStream }, 'application/json': { schema: json, ...exampleOf(json) } };
    return { required: true, content };
  }
  return { required: !spec.bodyOptional, content: { [mediaType]: { schema, ...exampleOf(schema) } } };
}

function contentOf(output: EndpointSpec['output']) {
  const { json, mediaTypes } = output instanceof z.ZodType ? { json: output, mediaTypes: [] } : output;
  // Generators of clients take the first media type: bytes must not be taken for text.
  const ordered = mediaTypes.toSorted((a, b) => Number(b === BYTES) - Number(a === BYTES));
  const others = Object.fromEntries(ordered.map((type) => [type, { schema: otherSchema(type) }]));
  return json ? { 'application/json': { schema: json, ...exampleOf(json) }, ...others } : others;
}

const BYTES = 'application/octet-stream';
const EVENT_STREAM = 'text/event-stream';

/** Of an answer that no zod schema describes. */
function otherSchema(mediaType: string): SchemaObject {
  if (mediaType === 'application/json') return { type: 'object', additionalProperties: true };
  if (mediaType === EVENT_STREAM) return { type: 'string', description: EVENTS };
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

const EVENTS = `Server-sent events, each with one line \`data: …\` that holds JSON; lines that begin with a colon say nothing. Logs
end with an event named \`end\`, which holds \`{"reason": "…"}\``;

/**
 * What an answer may be that does not carry the whole: a part (206), or nothing new (304). RFC 9110, sections 13 and
 * 14.
 */
function withoutWhole({ input, output }: EndpointSpec) {
  const headers = shapeOf(input?.headers);
  const part = { description: 'The requested range', content: contentOf(output) };
  return {
    ...('range' in headers ? { '206': part } : {}),
    ...('if-none-match' in headers ? { '304': { description: 'The client already has this' } } : {}),
  };
}

function exampleOf(schema: z.ZodType): { example?: unknown } {
  if (schema instanceof z.ZodOptional) return exampleOf(schema.unwrap() as z.ZodType); // as: zod's own types are classic types here
  const example = z.globalRegistry.get(schema)?.example;
  return example === undefined ? {} : { example };
}
