import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { docsPage, PAGE_POLICY } from './docs-page.ts';

/** GET /docs: the API to read and to try, without the internet. Public. */
export const handler = endpoint({
  access: 'public',
  anyQuery: true,
  perRobot: true,
  summary: 'The documentation page',
  output: { mediaTypes: ['text/html'] },
}).handler(
  ({ rawPath }) =>
    new Reply(docsPage(rawPath), {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
    }),
);
