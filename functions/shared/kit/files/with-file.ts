import { closeSync, openSync } from 'node:fs';

/** Runs `work` on an open file or folder, and closes it. @throws system errors, and what `work` throws. */
export function withFile<T>(path: string, flags: string, work: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
