import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from './is-running.ts';

const STAGED = /^\.staged-(\d{1,10})-[0-9a-f]{16}$/;
/** What another process has staged is stale after an hour, in ms: its number may belong to somebody else by now. */
const STALE_MS = 3_600_000;

/** What this process has given out: an earlier process may have had the same number. */
const ours = new Set<string>();

/** A fresh name for a file or folder that is not ready to be seen. It is hidden, and tells which process is at work on it. */
export function stagedName(): string {
  const name = `.staged-${process.pid}-${randomBytes(8).toString('hex')}`;
  ours.add(name);
  return name;
}

/** To be told when nothing lies under the name any more. */
export function forgetStaged(name: string): void {
  ours.delete(name);
}

/** Removes from a folder what killed processes have staged and never finished. */
export async function sweepStaged(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = STAGED.exec(name)?.[1];
    if (pid === undefined || ours.has(name)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    const stale =
      stats === undefined || now - stats.mtimeMs > STALE_MS || Number(pid) === process.pid || !isRunning(Number(pid));
    if (stale) await rm(path, { recursive: true, force: true });
  }
}
