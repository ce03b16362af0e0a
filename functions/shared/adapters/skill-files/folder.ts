import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/replace-file.ts';
import { forgetStaged, stagedName } from '../files/staged.ts';
import { codeOf, explained } from './failure.ts';
import { type FolderEntry, MAX_SKILL_BYTES, type SkillFile, type SkillFiles, type StagedFile } from './port.ts';
import { modeForReaders } from './readers.ts';

// Nonblocking, so that a pipe somebody put there does not make the service wait for its other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MODE = 0o644;
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The skills in one folder of the file system. */
export class SkillFolder implements SkillFiles {
  readonly #folder: string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
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
    const staged = stagedName();
    const path = this.#path(staged);
    let placed = false;
    const discard = async () => {
      if (!placed) await unlink(path).catch(() => {});
      forgetStaged(staged);
    };
    try {
      makePrivateFolder(this.#folder);
      const modifiedAt = await writeOut(path, bytes, await modeForReaders(this.#folder));
      const placeAs = async (name: string) => {
        await rename(path, this.#path(name)).catch((error: unknown) => explained(error, name));
        placed = true;
      };
      return { bytes, modifiedAt, placeAs, discard };
    } catch (error) {
      await discard();
      return explained(error);
    }
  }

  async move(from: string, to: string): Promise<void> {
    // A link is refused where a rename would overwrite; so another process's file is never lost either.
    try {
      await link(this.#path(from), this.#path(to));
    } catch (error) {
      if (!NO_HARD_LINKS.has(codeOf(error) ?? '') || (await this.find(to))) explained(error, to);
      return this.moveOver(from, to);
    }
    await unlink(this.#path(from)).catch(explained);
  }

  async moveOver(from: string, to: string): Promise<void> {
    await rename(this.#path(from), this.#path(to)).catch((error: unknown) => explained(error, to));
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#path(name)).catch(absent);
  }

  async settle(): Promise<void> {
    const folder = await open(this.#folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(explained);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
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
  if (stats.isSymbolicLink()) return 'It is a symbolic link; links are not followed.';
  if (!stats.isFile()) return 'It is no regular file.';
  return stats.size > MAX_SKILL_BYTES ? `It has more than ${MAX_SKILL_BYTES} bytes.` : undefined;
}

/** Reads so many bytes of a file, or fewer when it shrinks meanwhile. */
async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(most);
  let length = 0;
  for (let count = -1; count !== 0 && length < most; length += count) {
    ({ bytesRead: count } = await file.read(buffer, length, most - length, length));
  }
  return buffer.subarray(0, length);
}

/** Writes a new file and waits until it is safe on the disk. @returns when it was modified, in ms since the epoch. */
async function writeOut(path: string, bytes: Buffer, mode: number | undefined): Promise<number> {
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
  return codeOf(error) === 'ENOENT' ? undefined : explained(error);
}

/** Opening a link with O_NOFOLLOW fails with ELOOP, opening a socket with ENXIO. */
function absentOrLink(error: unknown): undefined {
  return ['ELOOP', 'ENXIO'].includes(codeOf(error) ?? '') ? undefined : absent(error);
}
