import { ServiceError, unavailable } from '../../errors.ts';

const TAKEN = new Set(['EEXIST', 'EISDIR', 'ENOTEMPTY']);
const UNUSABLE = new Set([...TAKEN, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE']);

/** The code of a system error; `instanceof` would not do for an error that was made in another realm. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/**
 * Throws what went wrong with the folder in words a person can act on. A full disk passes as it is: the pipeline knows
 * it. `target` is the name that something else may have taken.
 */
export function explained(error: unknown, target?: string): never {
  const code = codeOf(error) ?? '';
  if (target !== undefined && TAKEN.has(code)) {
    throw new ServiceError('already_exists', {
      detail: `Something named ${target} lies in the skills folder already.`,
      cause: error,
    });
  }
  if (UNUSABLE.has(code)) {
    const remedy = 'See that the folder named by SERVICE_SKILLS_DIR exists and that the service may write to it.';
    throw unavailable('skills folder', remedy, error);
  }
  throw error;
}
