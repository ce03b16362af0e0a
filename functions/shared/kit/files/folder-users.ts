import { readdirSync, readlinkSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Whether another process that this user may look at has a file below the folder open. Undefined where the system does
 * not tell (no /proc).
 */
export function isFolderInUse(folder: string): boolean | undefined {
  const processes = entriesOf('/proc')?.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return processes?.some((pid) => {
    const descriptors = join('/proc', pid, 'fd');
    return entriesOf(descriptors)?.some((name) => targetOf(join(descriptors, name)).startsWith(folder + sep)) ?? false;
  });
}

function entriesOf(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined; // it has ended, or is another user's
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
