import { ServiceError } from '../../shared/errors.ts';
import type { RemovedFile } from './description.schema.ts';
import type { DescriptionFiles } from './port.ts';
import { URDF_NAME, XACRO_NAME } from './urdf.ts';

/** Removes a file of the robot description. @throws ServiceError `not_found`, `conflict`, `component_unavailable`. */
export async function removeFile(files: DescriptionFiles, path: string): Promise<RemovedFile> {
  const size = await files.remove(path);
  if (size !== undefined) return { path, size };
  throw notFound('file at this path');
}

/** As {@link removeFile}, for URDFs and their templates alone. */
export function removeUrdf(files: DescriptionFiles, path: string): Promise<RemovedFile> {
  if (!URDF_NAME.test(path) && !XACRO_NAME.test(path)) throw notFound('URDF with this name');
  return removeFile(files, path);
}

function notFound(what: string): ServiceError {
  return new ServiceError('not_found', { detail: `The description folder (SERVICE_DESCRIPTION_DIR) has no ${what}.` });
}
