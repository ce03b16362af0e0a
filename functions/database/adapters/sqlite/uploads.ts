import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { whileThereIsRoom } from '../../../shared/kit/files/while-there-is-room.ts';
import { BudgetExceeded } from '../../../shared/observability/budget-exceeded.ts';
import type { Requester } from '../../port.ts';
import { named } from './failure.ts';
import type { Storage } from './thread-protocol.ts';

/** Files that arrive, or have arrived and are being read, at the same time. */
const MAX_UPLOADS = 4;

/** Takes files in: each lies in the folder of the snapshots until the work with it has ended. */
export class Uploads {
  readonly #storage: Pick<Storage, 'backupDir' | 'minFree'>;
  readonly #owners = new Set<string>();

  constructor(storage: Pick<Storage, 'backupDir' | 'minFree'>) {
    this.#storage = storage;
  }

  /**
   * Runs work with the path of a file that has arrived whole; it is removed afterwards.
   * Errors: those of the file as it arrives; busy, when this key sends one already, or too many others do; storage_full.
   */
  async run<T>(file: Readable, { owner, signal }: Requester, work: (path: string) => Promise<T>): Promise<T> {
    if (this.#owners.has(owner)) throw tooMany('A file is arriving with this key already, or is being read.');
    if (this.#owners.size >= MAX_UPLOADS) throw tooMany(`${MAX_UPLOADS} files are arriving already.`);
    this.#owners.add(owner);
    const { backupDir, minFree } = this.#storage;
    const path = join(backupDir, unfinishedName('unfinished-upload-'));
    try {
      makePrivateFolder(backupDir);
      const reserve = new DiskReserve(minFree);
      reserve.assertRoom(backupDir);
      await pipeline(
        file,
        whileThereIsRoom(reserve, backupDir),
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
        {
          signal,
        },
      );
      return await work(path);
    } catch (error) {
      signal.throwIfAborted();
      throw named(error);
    } finally {
      this.#owners.delete(owner);
      rmSync(path, { force: true });
    }
  }
}

function tooMany(why: string): BudgetExceeded {
  return new BudgetExceeded('transfers', 'busy', {
    detail: `${why} Nothing was changed; try again when it is done.`,
    headers: { 'retry-after': '2' },
  });
}
