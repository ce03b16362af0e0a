import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { MeshPath, RemovedFile } from './description.schema.ts';
import { descriptionFiles } from './ports.ts';
import { removeFile } from './remove-file.ts';

/** DELETE /api/v2/meshes/{filepath}: removes a mesh or texture. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  input: { path: MeshPath },
  output: RemovedFile,
  summary: 'Delete a mesh or texture of the robot',
  audit: 'description.delete',
  uses: { descriptionFiles },
  errors: ['not_found', 'conflict', 'busy', 'component_unavailable'],
}).handler(({ valid: { path }, record }, { descriptionFiles }) => {
  record('description.delete', { path: path.filepath });
  return removeFile(descriptionFiles, path.filepath);
});
