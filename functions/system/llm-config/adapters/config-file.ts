import { realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { sweepBeside } from '../../../shared/kit/files/replace-file.ts';
import { syncPathAsync, writeBesideAsync } from '../../../shared/kit/files/replace-file-async.ts';
import { FileFault } from '../../../shared/kit/files/watched-file.ts';
import { withLock } from '../../../shared/kit/files/with-lock.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { FileChange, LlmConfigFile } from '../port.ts';
import { type Content, readContent } from './content.ts';

/** One file, always replaced as a whole and never written in place. */
export class ConfigFile implements LlmConfigFile {
  readonly #path: string;
  readonly #reserve: DiskReserve;
  readonly #gate: WriteGate;
  readonly #turns = new Semaphore(1);

  constructor(path: string, reserve: DiskReserve, gate = new WriteGate()) {
    this.#path = path;
    this.#reserve = reserve;
    this.#gate = gate;
  }

  async read(): Promise<Buffer> {
    return (await readContent(this.#path)).bytes;
  }

  update<T>(change: (current: Buffer) => Promise<FileChange<T>>): Promise<T> {
    return this.#gate.run(() => this.#turns.run(() => this.#update(change)));
  }

  async #update<T>(change: (current: Buffer) => Promise<FileChange<T>>): Promise<T> {
    await readContent(this.#path);
    // A symbolic link stays a link; its target is replaced.
    const path = await realpath(this.#path);
    try {
      return await withLock(path, async () => {
        const current = await readContent(path);
        const { bytes, result } = await change(current.bytes);
        if (!bytes) return result;
        this.#reserve.assertRoom(path, bytes.length + current.bytes.length);
        await replace(path, current, bytes);
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

async function replace(path: string, current: Content, bytes: Buffer): Promise<void> {
  const backup = backupOf(path);
  const created: string[] = [];
  for (const target of [path, backup]) sweepBeside(target);
  try {
    created.push(await writeBesideAsync(path, bytes, current));
    created.push(await writeBesideAsync(backup, current.bytes, current));
    // Editors do not take the lock; a concurrent save must not be lost.
    if (!(await readContent(path)).bytes.equals(current.bytes)) throw editedConcurrently();
    const [temporary = '', previous = ''] = created;
    await rename(previous, backup);
    await rename(temporary, path);
    await syncPathAsync(dirname(path));
  } finally {
    await Promise.all(created.map((file) => rm(file, { force: true })));
  }
}

function editedConcurrently(): ServiceError {
  return new ServiceError('busy', {
    detail:
      'Someone else saved the configuration at the same moment, and their version was kept. Read it and try again.',
  });
}

function asServiceError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return unavailable(
      'language-model configuration',
      'The service may not write the file; nothing was changed. Give its user write permission for the file and its folder.',
      error,
    );
  }
  if (error instanceof FileFault) {
    return new ServiceError('busy', {
      detail: 'Another change to the configuration is taking very long. Try again.',
      cause: error,
    });
  }
  return error;
}
