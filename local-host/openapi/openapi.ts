import { createHash } from 'node:crypto';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ApiDocument } from '../../functions/shared/api-document.ts';
import { BUNDLED, VERSION } from '../../functions/shared/build-info.ts';
import { concretePaths } from '../http/router.ts';
import type { Route } from '../routes.ts';
import { extensible } from './extensible.ts';
import { DECODED_BY_HAND } from './models.ts';
import { operation, TAGS } from './operation.ts';
import { writePlainly } from './plain-schemas.ts';
import { PROBLEM_EXAMPLES, Problem } from './problems.ts';

type Servers = NonNullable<Parameters<typeof createDocument>[0]['servers']>;

const DESCRIPTION = `The REST backend of a robot.

Every path answers with and without its trailing slash, under \`/\` and, as the public proxy forwards it, under \`/rest/\`.
Exchange an API key for a token at \`/api/v2/auth/\`; a token lives 30 minutes and is renewed at \`/api/v2/auth/refresh/\`.
Every answer of 400 and above is a problem (RFC 9457) whose \`code\` is stable.
Answers may gain members, and new codes and values may be added: clients must ignore unknown members and accept unknown codes
and values; only what has an \`enum\` has no others. Unknown members of a request are refused.`;

/** Generators name packages by it: it has to be a semantic version. */
const UNBUNDLED_VERSION = '0.0.0-dev';

/** Where the local host answers. */
const SERVERS: Servers = [
  { url: '/', description: 'directly' },
  { url: '/rest', description: 'as the public proxy forwards it' },
];

/** The OpenAPI 3.1 document of these routes, each version of a route a path of its own. */
export function createApiDocument(routes: readonly Route[], servers = SERVERS): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    concretePaths(route).forEach((path, index) => {
      const key = path.replace(/\{(\w+)\+\}/, '{$1}');
      paths[key] = { ...paths[key], [route.method.toLowerCase()]: operation(route, route.versions[index]) };
    });
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Robot Control REST Service',
        version: BUNDLED ? VERSION : UNBUNDLED_VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers,
      tags: TAGS,
      paths,
      components: {
        schemas: { Problem, ...DECODED_BY_HAND },
        examples: PROBLEM_EXAMPLES,
        headers: HEADERS,
        securitySchemes: {
          bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'a token of this service' },
          apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
    },
    { override: extensible },
  );
  writePlainly(document);
  dropUnused(document.components?.schemas ?? {}, document);
  return document;
}

/** zod-openapi also shows how a model would be answered that is only ever sent. */
function dropUnused(schemas: Record<string, unknown>, document: object): void {
  const text = JSON.stringify(document);
  for (const name of Object.keys(schemas))
    if (!(name in DECODED_BY_HAND) && !text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
}

const HEADERS = {
  ETag: {
    description: 'Entity tag of the response (RFC 9110, section 8.8.3)',
    schema: { type: 'string' as const },
  },
  'X-Total-Count': { description: 'Number of rows of the whole table', schema: { type: 'integer' as const } },
  'X-Truncated': { description: 'Whether older entries were omitted', schema: { type: 'boolean' as const } },
  Authorization: {
    description: 'The new token, `Bearer <token>`; of a command in v1 only if the token has less than 10 minutes left',
    schema: { type: 'string' as const },
  },
  'X-Request-Id': { description: 'Id of this request in the log', schema: { type: 'string' as const } },
  'WWW-Authenticate': { description: 'Challenge (RFC 6750)', schema: { type: 'string' as const } },
  'Retry-After': { description: 'Seconds to wait before trying again', schema: { type: 'integer' as const } },
};

/** The document as it is served; made at the first call, since most processes are never asked for it. */
export function apiDocumentOf(routes: readonly Route[]): () => ApiDocument {
  let made: ApiDocument | undefined;
  return () => {
    if (!made) {
      const text = JSON.stringify(createApiDocument(routes));
      made = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    return made;
  };
}
