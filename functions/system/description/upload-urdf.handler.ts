import { OPERATORS } from '../../shared/access.ts';
import { TextStream } from '../../shared/pipeline/byte-stream.schema.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { StorableUrdf, StoredFile } from './description.schema.ts';
import { descriptionFiles } from './ports.ts';
import { receiveFile } from './receive-file.ts';
import { MAX_URDF_BYTES } from './urdf.ts';

/** PUT /api/v2/urdf/{filename}: adds or replaces a URDF. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  bodyStream: { mediaType: 'application/xml', maxBytes: MAX_URDF_BYTES },
  input: { path: StorableUrdf, body: TextStream },
  output: StoredFile,
  summary: 'Upload a URDF',
  description:
    'At most 8 MiB. XML that is not well-formed, or whose root is not `<robot>`, is 422 with line and column; nothing is changed then.',
  audit: 'description.upload',
  uses: { descriptionFiles },
  errors: ['conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { path, body }, caller, signal, record }, { descriptionFiles }) => {
  record('description.upload', { path: path.filename });
  return receiveFile(descriptionFiles, { path: path.filename, body, owner: caller.keyId, signal });
});
