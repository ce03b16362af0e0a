import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';

const SYSTEM_CERTIFICATES = '/etc/ssl/certs';

/**
 * Why this path cannot be used as a certificate or key, or undefined. It has to be a regular file below the data folder
 * (links out of it do not count) or below /etc/ssl/certs (whose entries are links by nature).
 */
export async function certificateFault(path: string, dataFolder: string): Promise<string | undefined> {
  const place = 'It must be an absolute path below the data folder of this service or below /etc/ssl/certs.';
  if (!isAbsolute(path) || normalize(path) !== path) return place;
  const inData = isBelow(path, dataFolder);
  if (!inData && !isBelow(path, SYSTEM_CERTIFICATES)) return place;
  try {
    if (inData && !isBelow(await realpath(path), await realpath(dataFolder))) return place;
    if (!(await stat(path)).isFile()) return 'It is not a file.';
  } catch {
    return 'There is no such file.';
  }
  return undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, sep));
}
