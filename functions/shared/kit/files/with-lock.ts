import fs from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { codeOf, isDiskFull } from '../error-code.ts';
import { makePrivateFolder } from './replace-file.ts';
import { FileFault } from './watched-file.ts';

/** A lock whose holder has not renewed it for this long is taken over, in ms. */
const STALE_MS = 5_000;
/** How long to wait for the other process, and the least pause between two attempts, in ms. */
const MAX_WAIT_MS = 30_000;
const MIN_PAUSE_MS = 20;

/**
 * Runs `work` while no other process runs work under the same path. Waits for the other, up to half a minute; the lock
 * of a killed process is taken over after five seconds. The folder of the path is made when it is missing (0700).
 * @throws FileFault when the other does not end.
 */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  makePrivateFolder(dirname(path));
  const release = await acquire(path);
  try {
    return await work();
  } finally {
    await release().catch(() => undefined); // taken over by another after a long stop of this process
  }
}

/** Only a lock that another holds is waited for: a disk that takes no lock will take none later either. */
async function acquire(path: string): Promise<() => Promise<void>> {
  const end = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await lockfile.lock(path, {
        realpath: false,
        stale: STALE_MS,
        fs: LOCKS_ON_FULL_DISKS,
        // This process was suspended for long. Synchronous work was not interrupted; other work checks again before it writes.
        onCompromised: () => undefined,
      });
    } catch (error) {
      if (codeOf(error) !== 'ELOCKED') throw error;
      if (performance.now() > end) {
        throw new FileFault('another process holds its lock for too long; try again', { cause: error });
      }
    }
    await pause(MIN_PAUSE_MS + Math.random() * MIN_PAUSE_MS);
  }
}

type Done = (error: NodeJS.ErrnoException | null) => void;

/** A lock is a folder, which takes a block on most file systems; where none is left it is an empty file, which takes none. */
const LOCKS_ON_FULL_DISKS = {
  ...fs,
  mkdir(path: string, done: Done): void {
    fs.mkdir(path, (error) => {
      if (!error || !isDiskFull(error)) return done(error);
      fs.writeFile(path, '', { flag: 'wx' }, done);
    });
  },
  rmdir(path: string, done: Done): void {
    fs.rmdir(path, (error) => (error?.code === 'ENOTDIR' ? fs.unlink(path, done) : done(error)));
  },
  rmdirSync: (path: string): void => fs.rmSync(path, { recursive: true }),
};
