import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';
import { makePrivateFolder } from './replace-file.ts';
import { codeOf, FileFault } from './watched-file.ts';

/** A lock whose holder has given no sign of life for this long is taken over, in ms. */
const STALE_MS = 5_000;

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

async function acquire(path: string): Promise<() => Promise<void>> {
  try {
    return await lockfile.lock(path, {
      realpath: false,
      stale: STALE_MS,
      retries: { retries: 300, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
      // This process stood still for long. Work without a pause was not interrupted; other work looks again before it writes.
      onCompromised: () => undefined,
    });
  } catch (error) {
    if (codeOf(error) !== 'ELOCKED') throw error;
    throw new FileFault('another process holds its lock for too long; try again', { cause: error });
  }
}
