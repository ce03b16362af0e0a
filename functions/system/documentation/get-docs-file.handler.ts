import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { cachedReply } from './cached-reply.ts';
import { docsFile } from './docs-file.ts';
import { DocsFilePath, Revalidation } from './documentation.schema.ts';
import { documentationFiles } from './ports.ts';

/** GET /docs/{file}: what the documentation page loads. Public. */
export const handler = endpoint({
  access: 'public',
  anyQuery: true,
  perRobot: true,
  summary: 'A file of the documentation page',
  input: { path: DocsFilePath, headers: Revalidation },
  output: { mediaTypes: ['text/css', 'text/javascript', 'image/png'] },
  uses: { documentationFiles },
  errors: ['not_found'],
}).handler(async ({ valid }, { documentationFiles }) => {
  const { bytes, etag, mediaType } = await docsFile(documentationFiles, valid.path.file);
  return cachedReply(bytes, etag, valid.headers['if-none-match'], {
    'content-type': mediaType,
    'cache-control': 'public, max-age=3600',
  });
});
