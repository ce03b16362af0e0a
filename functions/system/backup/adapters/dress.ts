import { mkdirSync, renameSync, type Stats } from 'node:fs';
import { chmod, lchown, lstat, readdir, rename, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { syncPathAsync } from '../../../shared/kit/files/replace-file-async.ts';
import { newPrefix, type StagedPart } from './staging.ts';
import { takeRest } from './take-rest.ts';

const SETGID = 0o2000;
const READABLE_BY_GROUP = 0o640;
const READABLE = 0o644;
const PERMISSIONS = 0o777;

/** The folder whose successor is dressed. */
interface Model {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Gives a staged part the modes and the group of the present one, whose readers go on reading, and what no
 * archive holds of it: links, hidden files. Then all of it is on the disk. Without a present one it stays as private as it is.
 */
export async function dressLike({ part, target: present, staged }: StagedPart): Promise<void> {
  const like = await stat(present).catch(absent);
  if (!(await stat(staged)).isDirectory()) {
    if (like?.isFile()) await give(staged, like.gid, like.mode & PERMISSIONS);
    await syncPathAsync(staged);
    return;
  }
  await dressFolder(staged, like?.isDirectory() ? { path: present, stats: like } : undefined);
  if (like?.isDirectory()) await takeRest(part, present, staged);
}

async function dressFolder(folder: string, model: Model | undefined): Promise<void> {
  const { gid = 0, mode = 0 } = model?.stats ?? {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await dressFolder(path, model);
      continue;
    }
    if (model) await give(path, gid, mode & SETGID ? READABLE_BY_GROUP : READABLE);
    await syncPathAsync(path);
  }
  if (model && mode & SETGID) await makeAgain(folder, model);
  else if (model) await give(folder, gid, mode & PERMISSIONS);
  await syncPathAsync(folder);
}

/** The installed service may not set the setgid bit (RestrictSUIDSGID); folders inherit it, and the group, where they are made. */
async function makeAgain(folder: string, { path, stats }: Model): Promise<void> {
  const name = unfinishedName(newPrefix(path));
  const [within, again] = [join(path, name), join(dirname(folder), name)];
  const umask = process.umask(0);
  try {
    mkdirSync(within, { mode: stats.mode & PERMISSIONS });
  } finally {
    process.umask(umask);
  }
  renameSync(within, again);
  for (const entry of await readdir(folder)) await rename(join(folder, entry), join(again, entry));
  await rmdir(folder);
  await rename(again, folder);
}

async function give(path: string, gid: number, mode: number): Promise<void> {
  const { uid } = await lstat(path);
  await lchown(path, uid, gid).catch((error: unknown) => {
    if (codeOf(error) !== 'EPERM') throw error; // not a member of that group
  });
  await chmod(path, mode);
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
