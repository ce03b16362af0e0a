import { createHash } from 'node:crypto';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ApiDocument } from '../functions/shared/api-document.ts';
import { VERSION } from '../functions/shared/build-info.ts';
import { extensible } from './openapi-extensible.ts';
import { STANDALONE_MODELS } from './openapi-models.ts';
import { operation, TAGS } from './openapi-operation.ts';
import { PROBLEM_EXAMPLES, Problem } from './openapi-problems.ts';
import { concretePaths } from './router.ts';
import type { Route } from './routes.ts';

type Servers = NonNullable<Parameters<typeof createDocument>[0]['servers']>;

const DESCRIPTION = `The REST backend of a robot.

Every path answers with and without its trailing slash, under \`/\` and, as the public proxy forwards it, under \`/rest/\`.
Trade an API key for a token at \`/api/v2/auth/\`; a token lives 30 minutes and is renewed at \`/api/v2/auth/refresh/\`.
Every answer of 400 and above is a problem (RFC 9457) whose \`code\` is stable.
Answers may gain members, and new codes may be added: clients must ignore unknown members and accept unknown codes. Unknown
members of a request are refused where its schema says so.`;

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
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Robot Control REST Service',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers,
      tags: TAGS,
      paths,
      components: {
        schemas: { Problem, ...STANDALONE_MODELS },
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
}

const HEADERS = {
  Authorization: { description: 'The new token, `Bearer <token>`', schema: { type: 'string' as const } },
  'X-Request-Id': { description: 'Id of this request in the log', schema: { type: 'string' as const } },
  'WWW-Authenticate': { description: 'Challenge (RFC 6750)', schema: { type: 'string' as const } },
  'Retry-After': { description: 'Seconds until another try makes sense', schema: { type: 'integer' as const } },
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
