import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveMember, textMember } from '../../../shared/archive/pack.ts';
import type { Config } from '../../../shared/config.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { maskedSettings } from '../../../shared/observability/masked-settings.ts';
import { MAX_MEMBERS, MEMBER_OF, type Part, SETTINGS_MEMBER } from '../manifest.schema.ts';
import { memberProblem } from '../member-path.ts';
import { FILE_PARTS, placeOf } from './places.ts';

// O_NONBLOCK: opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/** A file on the disk and its place in the archive. */
interface Found {
  readonly member: string;
  readonly path: string;
}

/** What the robot has at present, found before anything of it is read. */
export interface Present {
  readonly parts: readonly Part[];
  readonly files: readonly Found[];
}

/**
 * Finds the regular files of every part but the database, by their names. Links, sockets and the like are left out, and what a
 * restore would refuse.
 * Error: conflict, for more files than an archive may have.
 */
export async function findPresent(config: Config): Promise<Present> {
  const parts: Part[] = [];
  const files: Found[] = [];
  for (const part of FILE_PARTS) {
    const place = await placeOf(part, config);
    const found = MEMBER_OF[part].endsWith('/') ? await filesBelow(part, place) : await oneFile(place);
    if (!found) continue;
    parts.push(part);
    for (const inside of found) files.push({ member: MEMBER_OF[part] + inside, path: join(place, inside) });
    if (files.length > MAX_MEMBERS - 3) throw tooMany();
  }
  return { parts, files };
}

/** The files as members, and the settings for reading. A file that is gone by now is left out. */
export async function* presentMembers(
  { files }: Present,
  databaseCopy: string,
  config: Config,
  now: Date,
): AsyncGenerator<ArchiveMember> {
  for (const { member, path } of [{ member: MEMBER_OF.database, path: databaseCopy }, ...files]) {
    const file = await open(path, READ).catch(absent);
    if (!file) continue;
    try {
      const stats = await file.stat();
      if (stats.isFile())
        yield { path: member, size: stats.size, modifiedAt: stats.mtime, body: read(file, stats.size) };
    } finally {
      await file.close();
    }
  }
  yield textMember(SETTINGS_MEMBER, `${JSON.stringify(maskedSettings(config), null, 2)}\n`, now);
}

/** As many bytes as it had when it was opened; one that has become shorter fails the archive. */
async function* read(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at)), 0, null, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function oneFile(path: string): Promise<readonly string[] | undefined> {
  const file = await open(path, READ).catch(absent);
  const isFile = await file?.stat().then((stats) => stats.isFile());
  await file?.close();
  return isFile ? [''] : undefined;
}

async function filesBelow(part: Part, folder: string, prefix = ''): Promise<string[] | undefined> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(absent);
  if (!entries) return undefined;
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = prefix + entry.name;
    if (memberProblem({ part, inside }) !== undefined) continue;
    if (entry.isFile()) files.push(inside);
    if (entry.isDirectory()) for (const file of (await filesBelow(part, folder, `${inside}/`)) ?? []) files.push(file);
    if (files.length > MAX_MEMBERS) throw tooMany();
  }
  return files;
}

function absent(error: unknown): undefined {
  if (ABSENT.has(codeOf(error) ?? '')) return undefined;
  throw error;
}

function tooMany(): ServiceError {
  return new ServiceError('conflict', {
    detail: `The skills and the description have more than ${MAX_MEMBERS} files, which one archive does not hold. Remove what is not needed.`,
  });
}
