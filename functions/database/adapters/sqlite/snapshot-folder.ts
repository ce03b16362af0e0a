import { linkSync, lstatSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../../shared/errors.ts';
import { run } from '../../../shared/kit/child-process/run.ts';
import { CommandFailure } from '../../../shared/kit/child-process/running.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { makePrivateFolder, syncPath } from '../../../shared/kit/files/replace-file.ts';
import type { Requester, Snapshot } from '../../port.ts';
import type { SnapshotFiles } from '../../snapshot-files.port.ts';
import type { Verdict } from './check-snapshot.ts';
import { listSnapshots, requireRoom, snapshotPath } from './snapshots.ts';
import type { Storage } from './thread-protocol.ts';
import { Uploads } from './uploads.ts';

/** A file that takes longer to check is refused, in ms. */
const CHECK_MS = 30_000;
/** The program that checks: the one of the database threads, run as a process of its own. */
const CHECKER = import.meta.url.endsWith('.ts') ? './thread-from-sources.mjs' : './database-thread.js';
const CHUNK_BYTES = 64 * 1024;
/** A higher number would leave none for the snapshots that follow. */
const HIGHEST_NUMBER = 999_999_999;

/** The folder of snapshots. What is taken in is opened by another process first, which may be killed. */
export class SnapshotFolder implements SnapshotFiles {
  readonly #storage: Storage;
  readonly #clock: () => number;
  readonly #uploads: Uploads;
  readonly #checkMs: number;

  /** @param checkMs longest time of a check, in ms. */
  constructor(storage: Storage, clock: () => number, checkMs: number = CHECK_MS) {
    this.#storage = storage;
    this.#clock = clock;
    this.#uploads = new Uploads(storage);
    this.#checkMs = checkMs;
  }

  async open(name: string): Promise<{ readonly size: number; readonly body: Readable }> {
    const { backupDir } = this.#storage;
    makePrivateFolder(backupDir);
    const handle = await open(snapshotPath(backupDir, name), 'r');
    const { size } = await handle.stat();
    return { size, body: handle.createReadStream({ highWaterMark: CHUNK_BYTES }) };
  }

  async receive(name: string, file: Readable, requester: Requester): Promise<Snapshot> {
    const { backupDir, backupMaxBytes } = this.#storage;
    assertNumberLeft(name);
    const target = join(backupDir, name);
    if (lstatSync(target, { throwIfNoEntry: false })) throw exists(name);
    return this.#uploads.run(file, requester, async (path) => {
      requireRoom(backupDir, statSync(path).size, this.#clock(), backupMaxBytes);
      await this.#check(path, requester.signal);
      try {
        linkSync(path, target); // fails where a name exists, as a rename does not
      } catch (error) {
        throw codeOf(error) === 'EEXIST' ? exists(name) : error;
      }
      syncPath(target);
      syncPath(backupDir);
      const { created_at, size } = listSnapshots(backupDir).find((snapshot) => snapshot.name === name) ?? absent(name);
      return { name, created_at, size };
    });
  }

  /** Error: backup_invalid, saying what is wrong with the file. */
  async #check(path: string, signal: AbortSignal): Promise<void> {
    const checker = fileURLToPath(new URL(CHECKER, import.meta.url));
    const words = [process.execPath, checker, path] as const;
    let said = '';
    try {
      const { stdout, code } = await run([...words], { environment: {}, signal, timeLimit: this.#checkMs });
      said = code === 0 ? stdout : '';
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.kind === 'missing') throw error;
      throw invalidBackup(`takes more than ${this.#checkMs / 1000} s to check`, error);
    }
    if (said === '') throw invalidBackup('is damaged: SQLite cannot read it');
    const { fault } = JSON.parse(said) as Verdict; // as: the checker prints nothing else
    if (fault !== null) throw invalidBackup(fault);
  }
}

function invalidBackup(why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup_invalid', { detail: `The file ${why}. It was not kept.`, cause });
}

function assertNumberLeft(name: string): void {
  const number = Number(/^snapshot-(\d+)-/.exec(name)?.[1] ?? 0);
  if (number <= HIGHEST_NUMBER) return;
  throw new ServiceError('validation_failed', {
    detail: `The number in the name of a snapshot is at most ${HIGHEST_NUMBER}.`,
    errors: [{ pointer: 'path:name', message: `The number must be at most ${HIGHEST_NUMBER}.` }],
  });
}

function exists(name: string): ServiceError {
  return new ServiceError('already_exists', { detail: `There is a snapshot ${name}. Send it under another name.` });
}

function absent(name: string): never {
  throw new Error(`${name} is gone again`);
}
