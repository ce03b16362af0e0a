import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../../errors.ts';
import { codeOf, isDiskFull } from '../../../kit/error-code.ts';
import type { DiskReserve } from '../../../kit/files/disk-reserve.ts';
import { makePrivateFolder, replaceFile } from '../../../kit/files/replace-file.ts';
import type { Logger } from '../../../observability/logger.ts';
import { RunRecord } from '../../run.schema.ts';
import type { RunStore } from '../../run-store.port.ts';

/** Room for a record: arguments and a result. */
const MAX_RECORD_BYTES = 1024 * 1024;
const NAME = /^[0-9a-f-]{36}\.json$/;

/** One private file per run in a folder. */
export class RunFiles implements RunStore {
  readonly #folder: string;
  readonly #reserve: DiskReserve;
  readonly #logger: Logger;

  constructor(folder: string, reserve: DiskReserve, logger: Logger) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#logger = logger;
  }

  async load(): Promise<RunRecord[]> {
    const names = this.#names().filter((name) => NAME.test(name));
    return names.flatMap((name) => this.#read(name) ?? []);
  }

  save(record: RunRecord): void {
    if (record.state === 'starting') this.#reserve.assertRoom(this.#folder, MAX_RECORD_BYTES);
    try {
      makePrivateFolder(this.#folder);
      replaceFile(this.#path(record.id), JSON.stringify(record));
    } catch (error) {
      if (!isDiskFull(error) && codeOf(error) !== 'EFBIG') throw error;
      throw new ServiceError('storage_full', {
        detail: 'The disk is full: the run could not be recorded and was not started. Delete what is not needed.',
        cause: error,
      });
    }
  }

  remove(id: string): void {
    try {
      rmSync(this.#path(id), { force: true });
    } catch (error) {
      this.#logger.warn({ err: error, run: id }, 'could not remove the record of a run');
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  #read(name: string): RunRecord | undefined {
    try {
      return RunRecord.parse(JSON.parse(readFileSync(join(this.#folder, name), 'utf8')));
    } catch (error) {
      this.#logger.warn({ err: error, name }, 'ignored an unreadable record of a run');
      return undefined;
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
