import type { Stats } from 'node:fs';
import { chmod, lchown, lstat, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { syncPathAsync } from '../../../shared/kit/files/replace-file-async.ts';

const SETGID = 0o2000;
const READABLE_BY_GROUP = 0o640;
const READABLE = 0o644;
const PERMISSIONS = 0o7777;

/**
 * Gives a staged part the modes and the group of the present one, whose readers go on reading, and the links that are in
 * it, which no archive holds. Then all of it is on the disk. Without a present one it stays as private as it is.
 */
export async function dressLike(present: string, staged: string): Promise<void> {
  const like = await stat(present).catch(absent);
  if (!(await stat(staged)).isDirectory()) {
    if (like?.isFile()) await give(staged, like.gid, like.mode & PERMISSIONS);
    await syncPathAsync(staged);
    return;
  }
  await dressFolder(staged, like?.isDirectory() ? like : undefined);
  if (like?.isDirectory()) await takeLinks(present, staged);
}

async function dressFolder(folder: string, like: Stats | undefined): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await dressFolder(path, like);
      continue;
    }
    if (like) await give(path, like.gid, like.mode & SETGID ? READABLE_BY_GROUP : READABLE);
    await syncPathAsync(path);
  }
  if (like) await give(folder, like.gid, like.mode & PERMISSIONS);
  await syncPathAsync(folder);
}

async function give(path: string, gid: number, mode: number): Promise<void> {
  const { uid } = await lstat(path);
  await lchown(path, uid, gid).catch((error: unknown) => {
    if (codeOf(error) !== 'EPERM') throw error; // not a member of that group
  });
  await chmod(path, mode); // after the owner, which takes the setgid bit away
}

/** Where the archive has nothing of that name. */
async function takeLinks(present: string, staged: string): Promise<void> {
  for (const entry of await readdir(present, { withFileTypes: true })) {
    const [from, to] = [join(present, entry.name), join(staged, entry.name)];
    if (entry.isDirectory()) {
      await takeLinks(from, to);
    } else if (entry.isSymbolicLink()) {
      const target = await readlink(from);
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await symlink(target, to).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    }
  }
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
