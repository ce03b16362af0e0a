import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
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
import { codeOf } from './watched-file.ts';

/** A temporary file older than this belongs to a process that was killed, in ms. */
const STALE_MS = 60_000;

/** Makes the folder and those above it, closed to others (0700). One that exists stays as it is. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // On a read-only disk Node answers a recursive mkdir with ENOENT; one folder alone is refused for the true reason.
    if (codeOf(error) === 'ENOENT') mkdirSync(firstMissing(folder), { mode: 0o700 });
    throw error;
  }
}

function firstMissing(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(above) ? folder : firstMissing(above);
}

/** Writes a new file (0600) beside `path`, down to the disk, and returns its path. Leftovers of killed processes go. */
export function writeBeside(path: string, text: string): string {
  sweep(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
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
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length))) continue;
    const leftover = join(folder, name);
    try {
      if (Date.now() - statSync(leftover).mtimeMs > STALE_MS) rmSync(leftover, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}
