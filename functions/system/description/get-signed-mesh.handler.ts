import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { clock } from '../../shared/ports.ts';
import { MeshHeaders, SignedMeshPath } from './description.schema.ts';
import { MESH_MEDIA_TYPES } from './media-type.ts';
import { getMesh } from './mesh.ts';
import { descriptionFiles, meshSignatures } from './ports.ts';

/**
 * GET /api/{version}/meshes/~{signature}/{filepath}: a mesh or texture, for loaders that send no token. The path names
 * who may read it, so that a mesh can refer to its textures by relative paths.
 */
export const handler = endpoint({
  access: 'public',
  summary: 'A mesh or texture of the robot, by a signed URL',
  description:
    'The URLs of a URDF that was asked for with `signed=true`. A signature opens the files of one folder for 10 minutes, and ends with the API key of whoever asked.',
  input: { path: SignedMeshPath, headers: MeshHeaders },
  output: { mediaTypes: MESH_MEDIA_TYPES },
  uses: { descriptionFiles, meshSignatures, clock },
  errors: [
    'token_invalid',
    'token_expired',
    'key_revoked',
    'not_found',
    'range_not_satisfiable',
    'precondition_failed',
  ],
}).handler(({ valid: { path, headers }, method }, { descriptionFiles, meshSignatures, clock }) => {
  meshSignatures.assertValid(path.signature, path.filepath);
  return getMesh(descriptionFiles, { filepath: path.filepath, headers, method, now: clock() });
});
