import { createWriteStream, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { ArrivingBytes } from '../../../shared/kit/files/arriving-bytes.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { sweep, unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { syncPathAsync } from '../../../shared/kit/files/replace-file-async.ts';
import { whileThereIsRoom } from '../../../shared/kit/files/while-there-is-room.ts';
import type { KeptArchive } from '../backup.schema.ts';

const NAME = /^robot-(\d{6,12})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.gz$/;
const UNFINISHED = 'unfinished-';
const MAX_KEPT = 2;

/** The folder of what restores have replaced: the newest two. */
export class KeptArchives {
  readonly folder: string;
  readonly #reserve: DiskReserve;

  constructor(folder: string, minFree: number | undefined) {
    this.folder = folder;
    this.#reserve = new DiskReserve(minFree);
  }

  /** Makes the folder where it is missing, and removes what killed processes have left in it. */
  prepare(): void {
    makePrivateFolder(this.folder);
    sweep(this.folder, UNFINISHED);
  }

  /** A path in the folder for what is not finished; {@link prepare} removes it when this process is killed. */
  unfinished(ending: '.sqlite' | '.tmp'): string {
    return join(this.folder, unfinishedName(UNFINISHED) + ending);
  }

  /** Newest first, by their numbers: a robot's clock may have been wrong. */
  list(): KeptArchive[] {
    return this.#found().map(({ name, size, created_at }) => ({ name, size, created_at }));
  }

  /** Opens one of the list; the name is used for nothing else. Must be consumed or destroyed. Error: not_found. */
  async open(name: string): Promise<Readable> {
    const found = this.#found().find((archive) => archive.name === name);
    if (!found) {
      throw new ServiceError('not_found', {
        detail: 'There is no such archive. GET /api/v2/backup/ lists the names.',
      });
    }
    return (await open(join(this.folder, found.name), 'r')).createReadStream();
  }

  /** Keeps an archive, on the disk as a whole or not at all, and gives its name. Error: storage_full. */
  async keep(archive: Readable, now: number): Promise<string> {
    const unfinished = this.unfinished('.tmp');
    try {
      const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(archive, whileThereIsRoom(new ArrivingBytes(this.#reserve, this.folder)), file);
      const number = (this.#found()[0]?.number ?? 0) + 1;
      const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
      const name = `robot-${String(number).padStart(6, '0')}-${stamp}.tar.gz`;
      renameSync(unfinished, join(this.folder, name));
      await syncPathAsync(this.folder);
      return name;
    } catch (error) {
      archive.destroy();
      rmSync(unfinished, { force: true });
      throw error;
    }
  }

  /** Removes one that was kept in vain. */
  discard(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }

  /** Removes all but the newest two. */
  prune(): void {
    for (const { name } of this.#found().slice(MAX_KEPT)) this.discard(name);
  }

  #found(): Array<KeptArchive & { readonly number: number }> {
    return this.#names()
      .flatMap((name) => {
        const [match, number, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
        if (match === undefined) return [];
        const stats = lstatSync(join(this.folder, name), { throwIfNoEntry: false });
        if (!stats?.isFile()) return [];
        const created_at = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
        return Number.isNaN(Date.parse(created_at))
          ? []
          : [{ name, size: stats.size, created_at, number: Number(number) }];
      })
      .sort((a, b) => b.number - a.number);
  }

  #names(): string[] {
    try {
      return readdirSync(this.folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }
}
