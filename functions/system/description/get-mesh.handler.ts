import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { clock } from '../../shared/ports.ts';
import { MeshHeaders, MeshPath } from './description.schema.ts';
import { MESH_MEDIA_TYPES } from './media-type.ts';
import { getMesh } from './mesh.ts';
import { descriptionFiles } from './ports.ts';

/**
 * GET /api/{version}/meshes/{filepath}: a mesh or texture of the robot (specification, section 4.3). Any valid token.
 */
export const handler = endpoint({
  access: 'any-token',
  summary: 'A mesh or texture of the robot',
  description: 'Streams the file. Supports ranges and conditional requests (RFC 9110).',
  input: { path: MeshPath, headers: MeshHeaders },
  output: { mediaTypes: MESH_MEDIA_TYPES },
  uses: { descriptionFiles, clock },
  errors: ['not_found', 'range_not_satisfiable', 'precondition_failed'],
}).handler(({ valid: { path, headers }, method }, { descriptionFiles, clock }) =>
  getMesh(descriptionFiles, { filepath: path.filepath, headers, method, now: clock() }),
);
