import { ServiceError, unavailable } from '../../errors.ts';

const UNUSABLE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE']);

export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/**
 * Throws what went wrong with the folder in words a person can act on. A full disk passes as it is: the pipeline knows
 * it. `target` is the name something else already has.
 */
export function explained(error: unknown, target?: string): never {
  const code = codeOf(error) ?? '';
  if (['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(code)) {
    throw new ServiceError('already_exists', {
      detail: `Something named ${target ?? 'like this'} lies in the skills folder already.`,
      cause: error,
    });
  }
  if (UNUSABLE.has(code)) {
    const remedy = 'See that the folder named by SERVICE_SKILLS_DIR exists and that the service may write to it.';
    throw unavailable('skills folder', remedy, error);
  }
  throw error;
}
