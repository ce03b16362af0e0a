import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument } from '../../../shared/api-document.ts';
import { BUNDLED } from '../../../shared/build-info.ts';
import { unavailable } from '../../../shared/errors.ts';

/**
 * The document generated when a function was bundled, stored next to it: a single function does not know the route
 * table.
 * @throws ServiceError `component_unavailable` if there is none.
 */
export function openApiDocument(folder = BUNDLED ? import.meta.dirname : undefined): () => ApiDocument {
  if (folder === undefined) {
    throw unavailable('API document', 'Only a host with the full route table or a bundled function can provide it.');
  }
  const text = readFileSync(join(folder, 'openapi.json'), 'utf8');
  const document = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
  return () => document;
}
