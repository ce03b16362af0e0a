import { linkSync, lstatSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { makePrivateFolder, syncPath } from '../../../shared/kit/files/replace-file.ts';
import type { Requester, Snapshot } from '../../port.ts';
import type { SnapshotFiles } from '../../snapshot-files.port.ts';
import { assertSound, CHECK_MS } from './assert-sound.ts';
import { listSnapshots, requireRoom, snapshotPath } from './snapshots.ts';
import type { Storage } from './thread-protocol.ts';
import { Uploads } from './uploads.ts';

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
      await assertSound(path, requester.signal, this.#checkMs);
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
