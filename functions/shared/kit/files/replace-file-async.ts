import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.ts';
import { sweepBeside, temporaryName } from './replace-file.ts';

/** The owner, group and mode of a file, as stat(2) gives them. */
export interface FileRights {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Writes a temporary file beside `path`, synced to disk, and returns its path. Without `rights` it is the service's own
 * (0600); otherwise it gets them as far as this user may set them, so that nobody loses access. Never blocks the event
 * loop.
 */
export async function writeBesideAsync(path: string, bytes: Buffer, rights?: FileRights): Promise<string> {
  const temporary = temporaryName(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    if (rights) {
      await changeOwner(file, rights.uid, rights.gid);
      await file.chmod(rights.mode);
    }
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return temporary;
}

/** Replaces or creates a file (0600) atomically, like replaceFile, without blocking the event loop. */
export async function replaceFileAsync(path: string, text: string): Promise<void> {
  sweepBeside(path);
  const temporary = await writeBesideAsync(path, Buffer.from(text));
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPathAsync(dirname(path));
}

/** Makes a file, or the names in a folder, survive a loss of power, without blocking the event loop. */
export async function syncPathAsync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
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
