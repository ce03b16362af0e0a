import { realpath, rename, rm } from 'node:fs/promises';
import { ServiceError, unavailable } from '../../errors.ts';
import { sweep } from '../files/replace-file.ts';
import { codeOf, FileFault } from '../files/watched-file.ts';
import { withLock } from '../files/with-lock.ts';
import { type Content, readContent } from './content.ts';
import type { FileChange, LlmConfigFile } from './port.ts';
import { syncFolder, writeTemporary } from './temporary.ts';

/** One file, replaced as a whole and never written in place. */
export class ConfigFile implements LlmConfigFile {
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<Buffer> {
    return (await readContent(this.#path)).bytes;
  }

  update<T>(change: (present: Buffer) => FileChange<T>): Promise<T> {
    const mine = this.#last.then(() => this.#update(change));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #update<T>(change: (present: Buffer) => FileChange<T>): Promise<T> {
    await readContent(this.#path);
    // A link to the file stays a link: what it leads to is replaced.
    const path = await realpath(this.#path);
    try {
      return await withLock(path, async () => {
        const present = await readContent(path);
        const { bytes, result } = change(present.bytes);
        if (bytes) await replace(path, present, bytes);
        return result;
      });
    } catch (error) {
      throw asServiceError(error);
    }
  }
}

/** Where the previous version is kept. */
export function backupOf(path: string): string {
  return `${path}.bak`;
}

async function replace(path: string, present: Content, bytes: Buffer): Promise<void> {
  const backup = backupOf(path);
  const made: string[] = [];
  for (const target of [path, backup]) sweep(target);
  try {
    made.push(await writeTemporary(path, { ...present, bytes }));
    made.push(await writeTemporary(backup, present));
    // Editors know nothing of the lock: what somebody saved meanwhile must not be lost.
    if (!(await readContent(path)).bytes.equals(present.bytes)) throw editedMeanwhile();
    const [temporary = '', previous = ''] = made;
    await rename(previous, backup);
    await rename(temporary, path);
    await syncFolder(path);
  } finally {
    await Promise.all(made.map((file) => rm(file, { force: true })));
  }
}

function editedMeanwhile(): ServiceError {
  return new ServiceError('busy', {
    detail: 'Somebody saved the configuration at the same moment; it was left as they saved it. Read it and try again.',
  });
}

function asServiceError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return unavailable(
      'language-model configuration',
      'The service may not write the file; nothing was changed. Give its user write permission on the file and its folder.',
      error,
    );
  }
  if (error instanceof FileFault) {
    return new ServiceError('busy', {
      detail: 'Another change of the configuration takes very long. Try again.',
      cause: error,
    });
  }
  return error;
}
