import type { ApiDocument } from '../../shared/api-document.ts';
import { unavailable } from '../../shared/errors.ts';
import { type Port, port } from '../../shared/port.ts';
import type { DocumentationFiles } from './port.ts';

/** The OpenAPI document: provided by the local host, or read from the file next to a bundled function. */
export const apiDocument: Port<() => ApiDocument> = /* @__PURE__ */ port('API document', async () => {
  const { openApiDocument } = await import('./adapters/api-document.ts');
  return openApiDocument();
});

/** The AsyncAPI document of the events; provided by the local host. */
export const eventsDocument: Port<() => ApiDocument> = /* @__PURE__ */ port('events document', () => {
  throw unavailable('events document', 'Only the service at the robot has events.');
});

/** The files of the documentation page. */
export const documentationFiles: Port<DocumentationFiles> = /* @__PURE__ */ port('documentation files', async () => {
  const { openDocumentationFiles } = await import('./adapters/documentation-files.ts');
  return openDocumentationFiles();
});
