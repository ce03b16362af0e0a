import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';

/** Most entries that are looked at, and how deep. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 16;
/** Where the root element of a file is looked for, in bytes. */
const START_BYTES = 4096;
const UNREADABLE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);

/**
 * The URDFs in a folder and those below it, as sorted paths. Links to folders are not followed and hidden entries left
 * out. A ROS package has XML files that are something else (`package.xml`), so that these are looked into.
 */
export async function findUrdfs(folder: string): Promise<string[]> {
  const found: string[] = [];
  let entries = 0;
  const walk = async (path: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(folder, path))) {
      if (entry.name.startsWith('.')) continue;
      entries += 1;
      if (entries > MAX_ENTRIES) return;
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && depth < MAX_DEPTH) await walk(inner, depth + 1);
      else if (entry.isFile() && (await isUrdf(join(folder, inner)))) found.push(inner);
    }
  };
  await walk('', 1);
  return found.sort();
}

async function entriesOf(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (UNREADABLE.has(codeOf(error) ?? '')) return [];
    throw error;
  }
}

async function isUrdf(path: string): Promise<boolean> {
  if (/\.urdf$/i.test(path)) return true;
  if (!/\.xml$/i.test(path)) return false;
  const file = await open(path, 'r').catch(() => undefined);
  try {
    const start = (await file?.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0))?.buffer.toString('latin1') ?? '';
    return /<robot[\s/>]/.test(start);
  } finally {
    await file?.close();
  }
}
