import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../../shared/kit/error-code.ts';
import type { DiskReserve } from '../../../../shared/kit/files/disk-reserve.ts';
import { STAGED, unfinishedName } from '../../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../../shared/kit/files/replace-file.ts';
import { syncPathAsync } from '../../../../shared/kit/files/replace-file-async.ts';
import { Semaphore } from '../../../../shared/kit/semaphore.ts';
import type { WriteGate } from '../../../../shared/kit/write-gate.ts';
import {
  type FolderEntry,
  MAX_SKILL_BYTES,
  type SkillFile,
  type SkillFiles,
  type StagedFile,
} from '../../skill-files.port.ts';
import { rethrow } from './failure.ts';
import { modeForReaders } from './readers.ts';

// O_NONBLOCK: opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MODE = 0o644;
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The skills in one folder of the file system. */
export class SkillFolder implements SkillFiles {
  readonly #folder: string;
  readonly #reserve: DiskReserve;
  readonly #gate: WriteGate;
  readonly #turns = new Semaphore(1);

  constructor(folder: string, reserve: DiskReserve, gate: WriteGate) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#gate = gate;
  }

  change<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.run(() => this.runExclusive(work));
  }

  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  async list(): Promise<readonly FolderEntry[]> {
    const names = (await readdir(this.#folder, { encoding: 'buffer' }).catch(absent)) ?? [];
    const entries: FolderEntry[] = [];
    for (const raw of names) {
      const name = raw.toString('utf8');
      if (name.startsWith('.') || name === '__pycache__') continue;
      const path = Buffer.concat([Buffer.from(`${this.#folder}/`), raw]);
      const stats = await lstat(path).catch(absent);
      if (stats) entries.push(entryOf(name, stats));
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(name: string): Promise<FolderEntry | undefined> {
    const stats = await lstat(this.#path(name)).catch(absent);
    return stats && entryOf(name, stats);
  }

  async read(name: string): Promise<SkillFile | undefined> {
    const file = await open(this.#path(name), READ).catch(absentOrLink);
    try {
      const stats = await file?.stat();
      if (!file || !stats || entryOf(name, stats).irregular !== undefined) return undefined;
      return { bytes: await readUpTo(file, stats.size), modifiedAt: stats.mtimeMs };
    } finally {
      await file?.close();
    }
  }

  async stage(bytes: Buffer): Promise<StagedFile> {
    const path = this.#path(unfinishedName(STAGED));
    let placed = false;
    const discard = async () => {
      if (!placed) await unlink(path).catch(() => {});
    };
    try {
      this.#reserve.assertRoom(this.#folder, bytes.length);
      makePrivateFolder(this.#folder);
      const modifiedAt = await writeSynced(path, bytes, await modeForReaders(this.#folder));
      const placeAs = async (name: string) => {
        await rename(path, this.#path(name)).catch((error: unknown) => rethrow(error, name));
        placed = true;
      };
      return { bytes, modifiedAt, placeAs, discard };
    } catch (error) {
      await discard();
      return rethrow(error);
    }
  }

  async move(from: string, to: string): Promise<void> {
    // Unlike rename, link fails if the target exists, so that no file of another process is overwritten.
    try {
      await link(this.#path(from), this.#path(to));
    } catch (error) {
      if (!NO_HARD_LINKS.has(codeOf(error) ?? '') || (await this.find(to))) rethrow(error, to);
      return this.moveOver(from, to);
    }
    await unlink(this.#path(from)).catch(rethrow);
  }

  async moveOver(from: string, to: string): Promise<void> {
    await rename(this.#path(from), this.#path(to)).catch((error: unknown) => rethrow(error, to));
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#path(name)).catch(absent);
  }

  syncFolder(): Promise<void> {
    return syncPathAsync(this.#folder).catch(rethrow);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function entryOf(name: string, stats: Stats): FolderEntry {
  const entry = { name, size: stats.size, modifiedAt: stats.mtimeMs };
  const irregular = irregularity(stats);
  return irregular === undefined ? entry : { ...entry, irregular };
}

function irregularity(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'It is a symbolic link, and links are not followed.';
  if (!stats.isFile()) return 'It is not a regular file.';
  return stats.size > MAX_SKILL_BYTES ? `It is larger than ${MAX_SKILL_BYTES} bytes.` : undefined;
}

/** Reads up to `size` bytes, fewer if the file shrinks in the meantime. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let length = 0;
  for (let count = -1; count !== 0 && length < size; length += count) {
    ({ bytesRead: count } = await file.read(buffer, length, size - length, length));
  }
  return buffer.subarray(0, length);
}

/** Writes a new file and syncs it to disk. @returns its modification time, in ms since the epoch. */
async function writeSynced(path: string, bytes: Buffer, mode: number | undefined): Promise<number> {
  const file = await open(path, CREATE, MODE);
  try {
    await file.writeFile(bytes);
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}

function absent(error: unknown): undefined {
  return codeOf(error) === 'ENOENT' ? undefined : rethrow(error);
}

/** Opening a link with O_NOFOLLOW fails with ELOOP, opening a socket with ENXIO. */
function absentOrLink(error: unknown): undefined {
  return ['ELOOP', 'ENXIO'].includes(codeOf(error) ?? '') ? undefined : absent(error);
}
