import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { cachedReply } from './cached-reply.ts';
import { Revalidation } from './documentation.schema.ts';
import { eventsDocument } from './ports.ts';

/** GET /asyncapi.json: the events of the service as AsyncAPI 3.1. Public. */
export const handler = endpoint({
  access: 'public',
  perRobot: true,
  summary: 'The events as an AsyncAPI 3.1 document',
  input: { headers: Revalidation },
  output: { mediaTypes: ['application/json'] },
  errors: ['component_unavailable'],
  uses: { eventsDocument },
}).handler(({ valid }, { eventsDocument }) => {
  const { text, etag } = eventsDocument();
  return cachedReply(text, etag, valid.headers['if-none-match'], {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
  });
});
