import { createHash } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import { START_SCRIPT } from './docs-page.ts';
import type { DocumentationFile, DocumentationFiles } from './port.ts';

const START: DocumentationFile = {
  bytes: Buffer.from(START_SCRIPT),
  mediaType: 'text/javascript; charset=utf-8',
  etag: `"${createHash('sha256').update(START_SCRIPT).digest('base64url')}"`,
};

/**
 * A file of the documentation page: our own start script, or one of Swagger UI.
 * @throws ServiceError `not_found`.
 */
export async function docsFile(files: DocumentationFiles, name: string): Promise<DocumentationFile> {
  const file = name === 'start.js' ? START : await files.read(name);
  if (!file) throw new ServiceError('not_found', { detail: 'The documentation page has no file with this name.' });
  return file;
}
