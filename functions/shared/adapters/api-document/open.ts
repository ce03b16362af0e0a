import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument } from '../../api-document.ts';
import { BUNDLED } from '../../build-info.ts';
import { unavailable } from '../../errors.ts';

/**
 * The document that was made when a function was bundled, and that lies beside it: one function alone does not know the
 * route table.
 * @throws ServiceError `component_unavailable` where there is none.
 */
export function openApiDocument(folder = BUNDLED ? import.meta.dirname : undefined): () => ApiDocument {
  if (folder === undefined) {
    throw unavailable('API document', 'Only a host that knows every route, or a bundled function, can give it.');
  }
  const text = readFileSync(join(folder, 'openapi.json'), 'utf8');
  const document = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
  return () => document;
}
