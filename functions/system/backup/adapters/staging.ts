import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../../../shared/config.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { ArrivingBytes } from '../../../shared/kit/files/arriving-bytes.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { sweep, unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { invalidArchive, shown } from '../archive-errors.ts';
import type { Digest } from '../check-manifest.ts';
import { MANIFEST_MEMBER, MAX_MEMBERS, MEMBER_OF, PARTS, type Part, SETTINGS_MEMBER } from '../manifest.schema.ts';
import { memberOf, memberProblem } from '../member-path.ts';
import { type ReadMember, readArchive } from '../read-archive.ts';
import { placeOf } from './places.ts';

/** Most that is read into memory, in bytes; a manifest of the most members has about 30 MiB. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const MAX_SETTINGS_BYTES = 1024 * 1024;

/** A part that has arrived beside the place where it belongs, on the same disk. */
export interface StagedPart {
  readonly part: Part;
  readonly target: string;
  readonly staged: string;
}

/** What has come out of an archive; none of it has been compared yet. */
export interface Received {
  readonly members: ReadonlyMap<string, Digest>;
  readonly manifest: Buffer | undefined;
  readonly settings: Buffer | undefined;
}

export const newPrefix = (target: string): string => `.restore-new-${basename(target)}-`;
export const oldPrefix = (target: string): string => `.restore-old-${basename(target)}-`;

/** Takes an archive apart into files beside those of the robot, which nobody else looks at. */
export class Staging {
  readonly places: ReadonlyMap<Part, StagedPart>;
  readonly #reserve: DiskReserve;
  readonly #folders = new Set<string>();

  private constructor(places: readonly StagedPart[], reserve: DiskReserve) {
    this.places = new Map(places.map((place) => [place.part, place]));
    this.#reserve = reserve;
  }

  /** Removes what killed processes have left beside the parts. Call it while no restore waits to be finished. */
  static async begin(config: Config, databaseFile: string): Promise<Staging> {
    const places: StagedPart[] = [];
    for (const part of PARTS) {
      const target = part === 'database' ? databaseFile : await placeOf(part, config);
      makePrivateFolder(dirname(target));
      for (const prefix of [newPrefix(target), oldPrefix(target)]) sweep(dirname(target), prefix);
      const ending = part === 'database' ? '.sqlite' : '';
      places.push({ part, target, staged: join(dirname(target), unfinishedName(newPrefix(target)) + ending) });
    }
    return new Staging(places, new DiskReserve(config.SERVICE_MIN_FREE));
  }

  /**
   * Takes every member in. Errors: archive_invalid for what no archive of a robot has, storage_full before the reserve
   * of a disk is touched, those of the archive as it arrives.
   */
  async receive(archive: Readable, signal: AbortSignal): Promise<Received> {
    const members = new Map<string, Digest>();
    let manifest: Buffer | undefined;
    let settings: Buffer | undefined;
    for await (const member of readArchive(archive, signal)) {
      const { path } = member;
      if (manifest) throw invalidArchive(`goes on behind its manifest, with ${shown(path)}`);
      if (members.size >= MAX_MEMBERS) throw invalidArchive(`has more than ${MAX_MEMBERS} members`);
      if (!member.isFile) throw invalidArchive(`has ${shown(path)}, which is no regular file`);
      if (members.has(path)) throw invalidArchive(`has ${shown(path)} twice`);
      if (path === MANIFEST_MEMBER) {
        manifest = await inMemory(member, MAX_MANIFEST_BYTES);
      } else if (path === SETTINGS_MEMBER) {
        settings = await inMemory(member, MAX_SETTINGS_BYTES);
        members.set(path, { size: settings.length, sha256: createHash('sha256').update(settings).digest('hex') });
      } else {
        members.set(path, await this.#write(member));
      }
    }
    return { members, manifest, settings };
  }

  /** Makes what an archive names as a part and has no file of: an empty folder. */
  async makeFolders(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      const staged = this.places.get(part)?.staged;
      if (staged !== undefined && MEMBER_OF[part].endsWith('/')) await this.#makeFolder(staged);
    }
  }

  /** Removes what has not been put in place. */
  remove(): void {
    for (const { staged } of this.places.values()) rmSync(staged, { recursive: true, force: true });
  }

  async #write({ path, size, body }: ReadMember): Promise<Digest> {
    const found = memberOf(path);
    const place = found && this.places.get(found.part);
    if (!place) throw invalidArchive(`has ${shown(path)}, which belongs to no part of a robot`);
    const problem = memberProblem(found);
    if (problem !== undefined) throw invalidArchive(`has ${shown(path)}, which no robot has. ${problem}`);
    const target = join(place.staged, found.inside);
    this.#reserve.assertRoom(dirname(place.staged), size);
    try {
      if (found.inside !== '') await this.#makeFolder(dirname(target));
      const file = await open(target, 'wx', 0o600);
      try {
        return await this.#fill(file, body, dirname(place.staged));
      } finally {
        await file.close();
      }
    } catch (error) {
      // Two names that this file system takes for one, or a file where another member needs a folder.
      if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ'].includes(codeOf(error) ?? '')) throw error;
      throw invalidArchive(`has ${shown(path)}, which cannot be beside its other members`, error);
    }
  }

  async #fill(file: FileHandle, body: ReadMember['body'], folder: string): Promise<Digest> {
    const hash = createHash('sha256');
    let size = 0;
    const arriving = new ArrivingBytes(this.#reserve, folder);
    for await (const chunk of body) {
      hash.update(chunk);
      size += chunk.length;
      arriving.add(chunk.length);
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    }
    return { size, sha256: hash.digest('hex') };
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#folders.add(folder);
  }
}

async function inMemory({ path, size, body }: ReadMember, maxBytes: number): Promise<Buffer> {
  if (size > maxBytes) throw invalidArchive(`has a ${path} of more than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
