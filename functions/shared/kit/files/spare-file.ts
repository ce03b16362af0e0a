import { existsSync, fstatSync, fsyncSync, linkSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { replaceFile, syncFolder } from './replace-file.ts';
import { withFile } from './with-file.ts';

/** Whether there is a spare for `path` that is as long as the file. */
export function hasSpare(path: string): boolean {
  const length = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return (statSync(sparePath(path), { throwIfNoEntry: false })?.size ?? -1) >= length;
}

/** Makes the spare for `path` where there is none. To be called by the holder of the lock of `path`. */
export function keepSpare(path: string): void {
  if (!hasSpare(path)) replaceFile(sparePath(path), ' '.repeat(statSync(path).size));
}

/**
 * Replaces a file on a disk without a free byte: the text goes into the spare, which then takes the place of the file, and
 * the file is the next spare. The text is followed by spaces, so that no block is given back for others to take. To be
 * called by the holder of the lock of `path`; whenever it is killed, `path` is the old file or the new one.
 * @returns false when there is no spare that is long enough. @throws system errors.
 */
export function replaceFromSpare(path: string, text: string): boolean {
  const spare = sparePath(path);
  const previous = `${spare}-previous`;
  if (!existsSync(spare) && existsSync(previous)) renameSync(previous, spare); // a call that was killed got this far
  rmSync(previous, { force: true });
  if (!existsSync(spare) || !overwrite(spare, Buffer.from(text))) return false;
  linkSync(path, previous);
  renameSync(spare, path);
  renameSync(previous, spare);
  syncFolder(path);
  return true;
}

/** Where the spare for `path` is. */
export function sparePath(path: string): string {
  return join(dirname(path), `.${basename(path)}.spare`);
}

function overwrite(spare: string, bytes: Buffer): boolean {
  return withFile(spare, 'r+', (file) => {
    const { size, nlink } = fstatSync(file);
    if (bytes.length > size || nlink !== 1) return false;
    const whole = Buffer.alloc(size, ' ');
    bytes.copy(whole);
    for (let at = 0; at < size; ) at += writeSync(file, whole, at, size - at, at);
    fsyncSync(file);
    return true;
  });
}
