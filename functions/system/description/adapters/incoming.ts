import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { ArrivingBytes } from '../../../shared/kit/files/arriving-bytes.ts';
import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { STAGED, unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { syncPathAsync } from '../../../shared/kit/files/replace-file-async.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import type { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { IncomingFile } from '../port.ts';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MODE = 0o644;
const UNUSABLE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE', 'EXDEV']);

/** Changes to a description folder, one at a time. Links are never followed, and what people put there by hand wins. */
export class DescriptionChanges {
  readonly #folder: string;
  readonly #reserve: DiskReserve;
  readonly #gate: WriteGate;
  readonly #turns = new Semaphore(1);

  constructor(folder: string, reserve: DiskReserve, gate: WriteGate) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#gate = gate;
  }

  /** Begins to take in a file; `release` is called when it has been placed or discarded. */
  async receive(path: string, release: () => void): Promise<IncomingFile> {
    try {
      makePrivateFolder(this.#folder);
      const arriving = new ArrivingBytes(this.#reserve, this.#folder);
      const folder = await realpath(this.#folder);
      await assertReplaceable(folder, path);
      const staged = join(folder, unfinishedName(STAGED));
      const file = await open(staged, CREATE, MODE);
      let closed = false;
      const close = async () => {
        if (!closed) await file.close();
        closed = true;
      };
      return {
        async write(chunk) {
          arriving.add(chunk.length);
          await file.writeFile(chunk);
        },
        place: async () => {
          await file.sync();
          await close();
          return this.#alone(() => placeAt(folder, path, staged));
        },
        async discard() {
          await close().catch(() => undefined);
          await unlink(staged).catch(() => undefined); // it is gone when it has been placed
          release();
        },
      };
    } catch (error) {
      release();
      return rethrow(error);
    }
  }

  async remove(path: string): Promise<number | undefined> {
    const folder = await realpath(this.#folder).catch(() => undefined);
    if (folder === undefined) return undefined;
    return this.#alone(() => removeAt(folder, path));
  }

  #alone<T>(change: () => Promise<T>): Promise<T> {
    return this.#gate.run(() => this.#turns.run(change)).catch(rethrow);
  }
}

async function placeAt(folder: string, path: string, staged: string): Promise<boolean> {
  const before = await assertReplaceable(folder, path);
  const target = join(folder, path);
  if (!(await lstat(staged).catch(absent))) throw folderReplaced();
  await mkdir(dirname(target), { recursive: true });
  await rename(staged, target);
  await syncPathAsync(dirname(target));
  return before !== undefined;
}

async function removeAt(folder: string, path: string): Promise<number | undefined> {
  const before = await assertReplaceable(folder, path);
  if (!before) return undefined;
  const target = join(folder, path);
  await unlink(target);
  await syncPathAsync(dirname(target));
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const removed = await rmdir(join(folder, parent)).then(
      () => true,
      () => false,
    );
    if (!removed) break; // it is not empty
  }
  return before.size;
}

/** The file that would be replaced, if there is one. @throws ServiceError `conflict` for anything else in the way. */
async function assertReplaceable(folder: string, path: string): Promise<Stats | undefined> {
  const segments = path.split('/');
  for (let count = 1; count <= segments.length; count += 1) {
    const part = segments.slice(0, count).join('/');
    const stats = await lstat(join(folder, part)).catch(absent);
    if (!stats) return undefined;
    const isLast = count === segments.length;
    if (isLast ? stats.isFile() : stats.isDirectory()) {
      if (isLast) return stats;
      continue;
    }
    const what = stats.isSymbolicLink() ? 'a link' : stats.isDirectory() ? 'a folder' : 'no folder';
    throw new ServiceError('conflict', {
      detail: `"${part}" in the description folder is ${what}, and is in the way. Choose another path, or change it by hand.`,
    });
  }
  return undefined;
}

/** What arrived went away with the folder that it arrived in. */
function folderReplaced(): ServiceError {
  return new ServiceError('busy', {
    detail: 'The description was replaced while the file arrived, by a restore for instance. Send it again.',
    headers: { 'retry-after': '0' },
  });
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENAMETOOLONG') return undefined;
  throw error;
}

function rethrow(error: unknown): never {
  if (!UNUSABLE.has(codeOf(error) ?? '')) throw error;
  const remedy = 'Make sure that the folder at SERVICE_DESCRIPTION_DIR exists and that the service may write to it.';
  throw unavailable('description folder', remedy, error);
}
