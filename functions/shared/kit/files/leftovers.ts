import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOtherProcess } from '../child-process/is-other-process.ts';

/** Starts the hidden name of a file or folder that gets its own name once it is finished. */
export const STAGED = '.staged-';

/** What nobody has written to for this long, in ms, is a leftover, even if its process id is in use again. */
const STALE_MS = 3_600_000;
/** Tells the names of this process from those of an earlier one with the same id. */
const RUN = randomBytes(4).toString('hex');
/** What follows the prefix of an unfinished name: the process id, 16 hex digits, or both; then perhaps an ending. */
const WRITER = /^(?:(\d{1,10})(?:-([0-9a-f]{16}))?|[0-9a-f]{16})(?:\.tmp|\.sqlite[a-z-]*)?$/;

/** A fresh name for what is not finished. {@link sweep} finds it by its prefix when this process is killed before that. */
export function unfinishedName(prefix: string): string {
  return `${prefix}${process.pid}-${RUN}${randomBytes(4).toString('hex')}`;
}

/** Removes from a folder what killed processes left unfinished under names with this prefix. @throws system errors. */
export function sweep(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const [found, pid, digits] = (name.startsWith(prefix) && WRITER.exec(name.slice(prefix.length))) || [];
    if (found === undefined || isOurs(pid, digits)) continue;
    const path = join(folder, name);
    const mtimeMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined || (isAtWork(pid) && Date.now() - mtimeMs <= STALE_MS)) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

function isOurs(pid: string | undefined, digits: string | undefined): boolean {
  return Number(pid) === process.pid && digits?.startsWith(RUN) === true;
}

/** Whether the writer may still be running. A name without a process id does not tell. */
function isAtWork(pid: string | undefined): boolean {
  return pid === undefined || isOtherProcess(Number(pid));
}
