import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder with this bit gives its files to a group of readers, regardless of the service's umask. */
const SETGID = 0o2000;
const READABLE_BY_GROUP = 0o640;

/** The mode of new files in a folder that has readers; undefined to leave it to the umask. */
export async function modeForReaders(folder: string): Promise<number | undefined> {
  const stats = await lstat(`${folder}/.`).catch(() => undefined);
  return (stats?.mode ?? 0) & SETGID ? READABLE_BY_GROUP : undefined;
}

/** Gives the readers of a folder access to the service's own skills that were stored before the folder had readers. */
export async function admitReaders(folder: string): Promise<void> {
  const mode = await modeForReaders(folder);
  if (mode === undefined) return;
  const { gid } = await lstat(`${folder}/.`);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py') && !name.startsWith('.'));
  for (const name of names) await admitTo(join(folder, name), gid, mode);
}

async function admitTo(path: string, gid: number, mode: number): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  try {
    const stats = await file?.stat();
    if (!file || !stats?.isFile() || stats.uid !== process.geteuid?.() || stats.nlink > 1) return;
    if (stats.gid === gid && (stats.mode & mode) === mode) return;
    await file.chown(stats.uid, gid);
    await file.chmod(mode);
  } finally {
    await file?.close();
  }
}
