import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { temporaryName } from '../files/replace-file.ts';
import { codeOf } from '../files/watched-file.ts';
import type { Content } from './content.ts';

/**
 * Writes a file beside `path`, down to the disk, and returns its path. Others could read and write the file that it will
 * replace, and shall be able to go on: it gets the same mode, owner and group, as far as this user may give them.
 * Nothing here waits for the disk on the event loop.
 */
export async function writeTemporary(path: string, { bytes, mode, uid, gid }: Content): Promise<string> {
  const temporary = temporaryName(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await giveTo(file, uid, gid);
    await file.chmod(mode);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return temporary;
}

/** Makes the names in the folder of `path` last through a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function giveTo(file: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return;
  for (const owner of [uid, own.uid]) {
    try {
      await file.chown(owner, gid);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EPERM') throw error; // only root gives files away
    }
  }
}
