import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { temporaryName } from '../../../shared/kit/files/replace-file.ts';
import type { Content } from './content.ts';

/**
 * Writes a temporary file next to `path`, synced to disk, and returns its path. It gets the mode, owner and group of
 * the file it will replace, as far as this user may set them, so that nobody loses access. Never blocks the event loop.
 */
export async function writeTemporary(path: string, { bytes, mode, uid, gid }: Content): Promise<string> {
  const temporary = temporaryName(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await changeOwner(file, uid, gid);
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

/** Makes renames in the folder of `path` survive a power loss. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function changeOwner(file: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return;
  for (const owner of [uid, own.uid]) {
    try {
      await file.chown(owner, gid);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EPERM') throw error; // only root can give files away
    }
  }
}
