import { ServiceError, unavailable } from '../../../../shared/errors.ts';
import { codeOf } from '../../../../shared/kit/error-code.ts';

const TAKEN = new Set(['EEXIST', 'EISDIR', 'ENOTEMPTY']);
const UNUSABLE = new Set([...TAKEN, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE']);

/**
 * Converts a file system error to one the client can act on. Passes "disk full" on unchanged, since the pipeline
 * handles it. `target` is the name that may already be taken.
 */
export function rethrow(error: unknown, target?: string): never {
  const code = codeOf(error) ?? '';
  if (target !== undefined && TAKEN.has(code)) {
    throw new ServiceError('already_exists', {
      detail: `The skills folder already contains ${target}.`,
      cause: error,
    });
  }
  if (UNUSABLE.has(code)) {
    const remedy = 'Make sure that the folder at SERVICE_SKILLS_DIR exists and that the service may write to it.';
    throw unavailable('skills folder', remedy, error);
  }
  throw error;
}
