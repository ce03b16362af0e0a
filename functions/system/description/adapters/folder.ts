import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf } from '../../../shared/kit/error-code.ts';
import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { TransferPlaces } from '../../../shared/kit/transfer-places.ts';
import type { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { DescriptionFile, DescriptionFiles, IncomingFile } from '../port.ts';
import { findUrdfs } from './find-urdfs.ts';
import { DescriptionChanges } from './incoming.ts';

/** Excludes `.`, `..`, hidden files, and NUL, which would truncate the path. */
const SEGMENT = /^[^./\0][^/\0]*$/;
/** O_NOFOLLOW: the real path contains no links. O_NONBLOCK: opening a pipe must not wait for a writer. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENXIO']);
const CHUNK_BYTES = 64 * 1024;

/** A folder on disk; files outside of it are never served. */
export class DescriptionFolder implements DescriptionFiles {
  readonly #folder: string;
  readonly #changes: DescriptionChanges;
  readonly #places = new TransferPlaces();

  constructor(folder: string, reserve: DiskReserve, gate: WriteGate) {
    this.#folder = folder;
    this.#changes = new DescriptionChanges(folder, reserve, gate);
  }

  async open(path: string): Promise<DescriptionFile | undefined> {
    if (!isServed(path)) return undefined;
    try {
      const [folder, target] = await Promise.all([realpath(this.#folder), realpath(join(this.#folder, path))]);
      if (!target.startsWith(folder + sep)) return undefined;
      return await openRegular(target);
    } catch (error) {
      if (NO_FILE.has(codeOf(error) ?? '')) return undefined;
      throw error;
    }
  }

  async has(path: string): Promise<boolean> {
    const file = await this.open(path);
    await file?.close();
    return file !== undefined;
  }

  list(): Promise<readonly string[]> {
    return findUrdfs(this.#folder);
  }

  async receive(path: string, owner: string): Promise<IncomingFile> {
    const release = this.#places.take(owner);
    return this.#changes.receive(path, release);
  }

  async remove(path: string): Promise<number | undefined> {
    return isServed(path) ? this.#changes.remove(path) : undefined;
  }
}

function isServed(path: string): boolean {
  return path.split('/').every((segment) => SEGMENT.test(segment));
}

async function openRegular(path: string): Promise<DescriptionFile | undefined> {
  const handle = await open(path, FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.isFile()) return describe(handle, stats);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

function describe(handle: FileHandle, stats: BigIntStats): DescriptionFile {
  return {
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs),
    etag: entityTag(stats),
    stream: (start, end) => handle.createReadStream({ start, end, highWaterMark: CHUNK_BYTES }),
    async read() {
      try {
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
    close: () => handle.close(),
  };
}

/** Derived from inode, size and timestamps (in ns), because hashing hundreds of megabytes per request is too slow. */
function entityTag({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `"${createHash('sha256').update(`${ino} ${size} ${mtimeNs} ${ctimeNs}`).digest('base64url').slice(0, 32)}"`;
}
