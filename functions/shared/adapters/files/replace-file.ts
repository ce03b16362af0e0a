import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOlderThanThisProcess, isRunning } from './is-running.ts';
import { codeOf } from './watched-file.ts';

/** A temporary file older than this belongs to nobody any more, in ms, whoever has its process's number by now. */
const STALE_MS = 60_000;
/** What stands behind `.<name of the file>.` in the name of a temporary file: whose it is, and chance. */
const TEMPORARY = /^(?:(\d{1,10})-)?[0-9a-f]{16}\.tmp$/;

/** A fresh name beside `path` for what will replace it. {@link sweep} finds it when this process is killed before that. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(8).toString('hex')}.tmp`);
}

/**
 * Makes the folder and those above it, closed to others (0700). One that exists stays as it is. Refused for the true
 * reason: Node's own recursive mkdir says ENOENT of a read-only disk, and in /proc it never comes to an end.
 */
export function makePrivateFolder(folder: string): void {
  if (isFolder(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (isFolder(folder)) return; // another process was faster
    if (codeOf(error) !== 'ENOENT' || isFolder(dirname(folder))) throw error;
    makePrivateFolder(dirname(folder));
    makePrivateFolder(folder);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Writes a new file (0600) beside `path`, down to the disk, and returns its path. Leftovers of killed processes go. */
export function writeBeside(path: string, text: string): string {
  sweep(path);
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    keepOwner(file, path);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return temporary;
}

/** Replaces or makes a file (0600): whoever reads it, and whenever the machine loses power, it is the old or the new one. */
export function replaceFile(path: string, text: string): void {
  const temporary = writeBeside(path, text);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(path);
}

/** Makes the names in the folder of `path` last through a loss of power. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A command run by root must not take the file away from the user the service runs as. */
function keepOwner(file: number, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  fchownSync(file, uid, gid);
}

/** Removes what killed processes left behind when they were about to replace the file. */
export function sweep(path: string): void {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const [temporary, pid] = (name.startsWith(prefix) && TEMPORARY.exec(name.slice(prefix.length))) || [];
    if (temporary === undefined) continue;
    const leftover = join(folder, name);
    const mtimeMs = statSync(leftover, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs !== undefined && isLeft(pid, mtimeMs)) rmSync(leftover, { force: true });
  }
}

/** {@link sweep}, where nothing depends on it: at a start, on a disk that may be read-only. */
export function sweepIfPossible(path: string): void {
  try {
    sweep(path);
  } catch {
    // it lies there for longer
  }
}

function isLeft(pid: string | undefined, mtimeMs: number): boolean {
  if (Date.now() - mtimeMs > STALE_MS) return true;
  if (pid === undefined) return false;
  return Number(pid) === process.pid ? isOlderThanThisProcess(mtimeMs) : !isRunning(Number(pid));
}
