import { OPERATORS } from '../../shared/access.ts';
import { ByteStream } from '../../shared/pipeline/byte-stream.schema.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { StorableMesh, StoredFile } from './description.schema.ts';
import { MESH_MEDIA_TYPES } from './media-type.ts';
import { descriptionFiles } from './ports.ts';
import { MAX_FILE_BYTES, receiveFile } from './receive-file.ts';

/** PUT /api/v2/meshes/{filepath}: adds or replaces a mesh or texture. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  bodyStream: { mediaType: 'application/octet-stream', alsoTaken: MESH_MEDIA_TYPES, maxBytes: MAX_FILE_BYTES },
  input: { path: StorableMesh, body: ByteStream },
  output: StoredFile,
  summary: 'Upload a mesh or texture of the robot',
  description:
    'At most 256 MiB, as `application/octet-stream` or with the media type of the file. Content that does not fit the ending of the name is 422; nothing is changed then.',
  audit: 'description.upload',
  uses: { descriptionFiles },
  errors: ['conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { path, body }, caller, signal, record }, { descriptionFiles }) => {
  record('description.upload', { path: path.filepath });
  return receiveFile(descriptionFiles, { path: path.filepath, body, owner: caller.keyId, signal });
});
