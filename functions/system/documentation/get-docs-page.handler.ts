import { endpoint } from '../../shared/middleware/endpoint.ts';
import { Reply } from '../../shared/middleware/reply.ts';
import { docsPage, PAGE_POLICY } from './docs-page.ts';

/** GET /docs: the API to read and to try, without the internet. Public. */
export const handler = endpoint({
  access: 'public',
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
