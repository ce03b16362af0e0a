import { readSync, statSync } from 'node:fs';
import { withFile } from '../../../shared/kit/files/with-file.ts';

const BLOCK = 1024 * 1024;
/** Where the header of an SQLite file has `user_version`: a big-endian integer (https://sqlite.org/fileformat2.html). */
const USER_VERSION_AT = 60;

/** The schema version in the header of a snapshot, which has no log; 0 if it is not a database. */
export function schemaVersionIn(file: string): number {
  return withFile(file, 'r', (descriptor) => {
    const version = Buffer.alloc(4);
    return readSync(descriptor, version, 0, 4, USER_VERSION_AT) === 4 ? version.readInt32BE() : 0;
  });
}

/** Whether two files are the same, byte by byte. */
export function sameContent(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  return withFile(one, 'r', (first) =>
    withFile(other, 'r', (second) => {
      const [left, right] = [Buffer.alloc(BLOCK), Buffer.alloc(BLOCK)];
      for (;;) {
        const read = readSync(first, left);
        if (read !== readSync(second, right) || !left.subarray(0, read).equals(right.subarray(0, read))) return false;
        if (read === 0) return true;
      }
    }),
  );
}
