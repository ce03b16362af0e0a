import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { RemovedFile, UrdfPath } from './description.schema.ts';
import { descriptionFiles } from './ports.ts';
import { removeUrdf } from './remove-file.ts';

/** DELETE /api/v2/urdf/{filename}: removes a URDF. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  input: { path: UrdfPath },
  output: RemovedFile,
  summary: 'Delete a URDF of the robot',
  audit: 'description.delete',
  uses: { descriptionFiles },
  errors: ['not_found', 'conflict', 'busy', 'component_unavailable'],
}).handler(({ valid: { path }, record }, { descriptionFiles }) => {
  record('description.delete', { path: path.filename });
  return removeUrdf(descriptionFiles, path.filename);
});
