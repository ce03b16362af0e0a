import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ArrivingBytes } from '../../../shared/kit/files/arriving-bytes.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { whileThereIsRoom } from '../../../shared/kit/files/while-there-is-room.ts';
import { TransferPlaces } from '../../../shared/kit/transfer-places.ts';
import type { Requester } from '../../port.ts';
import { named } from './failure.ts';
import type { Storage } from './thread-protocol.ts';

/** Takes files in: each lies in the folder of the snapshots until the work with it has ended. */
export class Uploads {
  readonly #storage: Pick<Storage, 'backupDir' | 'minFree'>;
  readonly #places = new TransferPlaces();

  constructor(storage: Pick<Storage, 'backupDir' | 'minFree'>) {
    this.#storage = storage;
  }

  /**
   * Runs work with the path of a file that has arrived whole; it is removed afterwards.
   * Errors: those of the file as it arrives; busy, when this key sends one already, or too many others do; storage_full.
   */
  async run<T>(file: Readable, { owner, signal }: Requester, work: (path: string) => Promise<T>): Promise<T> {
    const release = this.#places.take(owner);
    const { backupDir, minFree } = this.#storage;
    const path = join(backupDir, unfinishedName('unfinished-upload-'));
    try {
      makePrivateFolder(backupDir);
      const arriving = new ArrivingBytes(new DiskReserve(minFree), backupDir);
      const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(file, whileThereIsRoom(arriving), target, { signal });
      return await work(path);
    } catch (error) {
      signal.throwIfAborted();
      throw named(error);
    } finally {
      release();
      rmSync(path, { force: true });
    }
  }
}
