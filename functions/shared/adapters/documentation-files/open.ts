import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BUNDLED } from '../../build-info.ts';
import type { DocumentationFiles } from './port.ts';

/** The only names that are ever read. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** The files of Swagger UI: beside the bundle, or from its package when run from sources. */
export function openDocumentationFiles(): DocumentationFiles {
  const folder = BUNDLED ? join(import.meta.dirname, 'docs-ui') : packageFolder();
  return {
    async read(name) {
      const mediaType = MEDIA_TYPES.get(name);
      if (mediaType === undefined) return undefined;
      const bytes = await readFile(join(folder, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      return { bytes, mediaType, etag };
    },
  };
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
