import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { cachedReply } from './cached-reply.ts';
import { Revalidation } from './documentation.schema.ts';
import { apiDocument } from './ports.ts';

/** GET /openapi.json: every route of the service as OpenAPI 3.1. Public. */
export const handler = endpoint({
  access: 'public',
  perRobot: true,
  summary: 'This API as an OpenAPI 3.1 document',
  input: { headers: Revalidation },
  output: { mediaTypes: ['application/json'] },
  uses: { apiDocument },
}).handler(({ valid }, { apiDocument }) => {
  const { text, etag } = apiDocument();
  return cachedReply(text, etag, valid.headers['if-none-match'], {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
  });
});
