import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';
import { makePrivateFolder } from './replace-file.ts';

/** A lock whose holder has given no sign of life for this long is taken over, in ms. */
const STALE_MS = 5_000;

/**
 * Runs `work` while no other process runs work under the same path. Waits for the other, up to half a minute; the lock
 * of a killed process is taken over after five seconds. The folder of the path is made when it is missing (0700).
 */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  makePrivateFolder(dirname(path));
  const release = await lockfile.lock(path, {
    realpath: false,
    stale: STALE_MS,
    retries: { retries: 300, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
    onCompromised: () => undefined, // this process stood still for longer than STALE_MS; work that pauses looks again before it writes
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined); // taken over by another after a long stop of this process
  }
}
