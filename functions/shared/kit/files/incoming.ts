import { basename, dirname, join } from 'node:path';

/** Where a database lies that takes the place of the present one's rows as soon as that is opened, or before its next write. */
export function incomingPath(file: string): string {
  return join(dirname(file), `.restore-in-${basename(file)}`);
}
