import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { makePrivateFolder } from './replace-file.ts';
import { codeOf, FileFault } from './watched-file.ts';

/** A lock whose holder has given no sign of life for this long is taken over, in ms. */
const STALE_MS = 5_000;
/** How long the other is waited for, and a pause between two looks, in ms. */
const LONGEST_WAIT_MS = 30_000;
const SHORTEST_PAUSE_MS = 20;

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
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      return await lockfile.lock(path, {
        realpath: false,
        stale: STALE_MS,
        // This process stood still for long. Work without a pause was not interrupted; other work looks again before it writes.
        onCompromised: () => undefined,
      });
    } catch (error) {
      if (codeOf(error) !== 'ELOCKED') throw error;
      if (performance.now() > end) {
        throw new FileFault('another process holds its lock for too long; try again', { cause: error });
      }
    }
    await pause(SHORTEST_PAUSE_MS + Math.random() * SHORTEST_PAUSE_MS);
  }
}
