import { constants, type Dirent } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { syncPathAsync } from '../../../shared/kit/files/replace-file-async.ts';
import type { Part } from '../manifest.schema.ts';
import { CACHE_FOLDER, memberProblem } from '../member-path.ts';

/** What the service has not finished. */
const UNFINISHED = /^\.(?:staged-.*|restore-.*|.*\.tmp)$/;
const PERMISSIONS = 0o777;
/** Something of the archive has that name, or is where a folder would be. */
const TAKEN = new Set(['EEXIST', 'ENOTDIR']);
/** Files of other users cannot be linked everywhere, nor can those of other disks. */
const NOT_LINKED = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP']);

/**
 * Puts what a backup leaves out of a folder, links and hidden files, into the one that will replace it, so that a
 * restore loses nothing that its kept archive does not have. What the archive has of the same name wins.
 */
export async function takeRest(part: Part, present: string, staged: string, inside = ''): Promise<void> {
  let took = false;
  for (const entry of await readdir(join(present, inside), { withFileTypes: true })) {
    if (entry.name === CACHE_FOLDER || UNFINISHED.test(entry.name)) continue;
    const path = inside + entry.name;
    if (entry.isDirectory()) await takeRest(part, present, staged, `${path}/`);
    else if (isLeftOut(part, path, entry)) took = (await take(present, staged, path)) || took;
  }
  if (took) await syncPathAsync(join(staged, inside));
}

function isLeftOut(part: Part, inside: string, entry: Dirent): boolean {
  return entry.isSymbolicLink() || (entry.isFile() && memberProblem({ part, inside }) !== undefined);
}

/** @returns whether it is there now. */
async function take(present: string, staged: string, path: string): Promise<boolean> {
  const [from, to] = [join(present, path), join(staged, path)];
  try {
    await makeFolders(present, staged, path);
    if ((await lstat(from)).isSymbolicLink()) await symlink(await readlink(from), to);
    else await linkOrCopy(from, to);
    return true;
  } catch (error) {
    if (TAKEN.has(codeOf(error) ?? '')) return false;
    throw error;
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!NOT_LINKED.has(codeOf(error) ?? '')) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await syncPathAsync(to);
  }
}

/** Those above a path, with the permissions that they have now. */
async function makeFolders(present: string, staged: string, path: string): Promise<void> {
  const names = path.split('/').slice(0, -1);
  for (const index of names.keys()) {
    const folder = names.slice(0, index + 1).join('/');
    const made = await mkdir(join(staged, folder), { recursive: true, mode: 0o700 });
    if (made !== undefined) await chmod(made, (await lstat(join(present, folder))).mode & PERMISSIONS);
  }
}
