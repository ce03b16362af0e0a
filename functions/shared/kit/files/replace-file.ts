import {
  closeSync,
  fchownSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../error-code.ts';
import { sweep, unfinishedName } from './leftovers.ts';
import { withFile } from './with-file.ts';

/** A fresh name beside `path` for what will replace it. {@link sweepBeside} finds it when this process is killed before that. */
export function temporaryName(path: string): string {
  return join(dirname(path), `${unfinishedName(temporaryPrefix(path))}.tmp`);
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
  sweepBeside(path);
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

/** Replaces or creates a file (0600) atomically: readers, and a loss of power, leave the old or the new one. */
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

/**
 * Creates a file (0600) unless there is one; its folder too (0700). link(2) puts a complete file in place or fails, so that
 * of two processes that start at once exactly one makes it, and nobody ever sees half of it.
 */
export function createFileOnce(path: string, text: () => string): void {
  while (!statSync(path, { throwIfNoEntry: false })) {
    makePrivateFolder(dirname(path));
    const temporary = writeBeside(path, text());
    try {
      linkSync(temporary, path);
      syncFolder(path);
    } catch (error) {
      // EEXIST: another process was first. ENOENT: the clock jumped and another one took our file for a leftover.
      const code = codeOf(error);
      if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

/** Makes a file, or the names in a folder, survive a loss of power. */
export function syncPath(path: string): void {
  withFile(path, 'r', fsyncSync);
}

/** Makes the names in the folder of `path` survive a loss of power. */
export function syncFolder(path: string): void {
  syncPath(dirname(path));
}

/** A command run by root must not take the file away from the user the service runs as. */
function keepOwner(file: number, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  fchownSync(file, uid, gid);
}

/** Removes what killed processes left behind when they were about to replace the file. @throws system errors. */
export function sweepBeside(path: string): void {
  sweep(dirname(path), temporaryPrefix(path));
}

/** {@link sweepBeside}, where nothing depends on it: at a start, on a disk that may be read-only. */
export function sweepIfPossible(path: string): void {
  try {
    sweepBeside(path);
  } catch {
    // it is removed at a later start
  }
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}
