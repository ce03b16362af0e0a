import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';

const SYSTEM_CERTIFICATES = '/etc/ssl/certs';

/**
 * Why this path cannot be used as a certificate or key, or undefined. It must be a regular file below the data folder
 * (and not a link out of it) or below /etc/ssl/certs (whose entries are usually links).
 */
export async function certificateProblem(path: string, dataFolder: string): Promise<string | undefined> {
  const notAllowed = "Must be an absolute path below the service's data folder or /etc/ssl/certs.";
  if (!isAbsolute(path) || normalize(path) !== path) return notAllowed;
  const inData = isBelow(path, dataFolder);
  if (!inData && !isBelow(path, SYSTEM_CERTIFICATES)) return notAllowed;
  try {
    if (inData && !isBelow(await realpath(path), await realpath(dataFolder))) return notAllowed;
    if (!(await stat(path)).isFile()) return 'Not a regular file.';
  } catch {
    return 'No such file.';
  }
  return undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, sep));
}
