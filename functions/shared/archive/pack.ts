import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack as newPack, type Pack } from 'tar-stream';

/** A regular file of an archive. */
export interface ArchiveMember {
  /** Relative, with slashes. */
  readonly path: string;
  /** Exactly as many bytes as `body` gives. */
  readonly size: number;
  readonly modifiedAt: Date;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Of the files in an archive; who unpacks it by hand is the only one to read them. */
const MODE = 0o600;
/** Most of what is packed are rows, texts and meshes; better levels take three times as long for a few percent. */
const LEVEL = 3;

/**
 * Streams a `.tar.gz`, made while it is read and no faster. When a member fails, or has another size than it said, the
 * stream breaks off with its error; when the stream is destroyed, so is the source of the members.
 */
export function packArchive(members: AsyncIterable<ArchiveMember>): Readable {
  const tar = newPack();
  const zipped = createGzip({ level: LEVEL });
  pipeline(tar, zipped).catch(() => undefined); // both streams carry the error
  void addAll(tar, members);
  return zipped;
}

async function addAll(tar: Pack, members: AsyncIterable<ArchiveMember>): Promise<void> {
  try {
    for await (const { path, size, modifiedAt, body } of members) {
      await pipeline(body, tar.entry({ name: path, size, mtime: modifiedAt, mode: MODE, type: 'file' }));
    }
    tar.finalize();
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** A member that is a text. */
export function textMember(path: string, text: string, modifiedAt: Date): ArchiveMember {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, modifiedAt, body: [bytes] };
}
