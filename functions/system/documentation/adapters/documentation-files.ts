import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BUNDLED } from '../../../shared/build-info.ts';
import type { DocumentationFile, DocumentationFiles } from '../port.ts';

/** Only these files are ever read. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/**
 * The files of Swagger UI: next to the bundle, or from the package when run from sources. They never change at run
 * time, so each is read and hashed once and its bytes are shared by all responses.
 */
export function openDocumentationFiles(): DocumentationFiles {
  const folder = BUNDLED ? join(import.meta.dirname, 'docs-ui') : packageFolder();
  const files = new Map<string, Promise<DocumentationFile>>();

  async function load(name: string, mediaType: string): Promise<DocumentationFile> {
    const bytes = await readFile(join(folder, name));
    return { bytes, mediaType, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }

  return {
    async read(name) {
      const mediaType = MEDIA_TYPES.get(name);
      if (mediaType === undefined) return undefined;
      let file = files.get(name);
      if (!file) {
        file = load(name, mediaType);
        files.set(name, file);
        file.catch(() => files.delete(name)); // failures are not cached
      }
      return file;
    },
  };
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
