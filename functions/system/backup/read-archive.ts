import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ServiceError } from '../../shared/errors.ts';
import { codeOf } from '../../shared/kit/error-code.ts';
import { invalidArchive } from './archive-errors.ts';

/** One member of an archive. Its body is read before the next one comes, or left out. */
export interface ReadMember {
  readonly path: string;
  readonly isFile: boolean;
  /** What its header says, in bytes. */
  readonly size: number;
  readonly body: AsyncIterable<Buffer>;
}

/** Most that may come in without a member or a part of one coming out, in bytes: a header of its own for a long name. */
const MAX_HOARDED_BYTES = 1024 * 1024;

/**
 * The members of a `.tar.gz` as it arrives, in flat memory, touching no disk. What ends early, or is none, is
 * archive_invalid; errors of the source itself and the reason of the signal pass.
 */
export async function* readArchive(archive: Readable, signal: AbortSignal): AsyncGenerator<ReadMember> {
  const tar = extract();
  const hoard = new Hoard();
  const flow = pipeline(archive, createGunzip(), hoard, tar, { signal });
  flow.catch(() => undefined); // it is asked for at the end
  try {
    for await (const entry of tar) {
      hoard.seen();
      const { name, type, size = 0 } = entry.header;
      if (!Number.isSafeInteger(size) || size < 0) throw invalidArchive('is damaged');
      yield { path: name, isFile: type === 'file', size, body: hoard.watching(entry, flow) };
      entry.resume();
    }
    await flow;
  } catch (error) {
    signal.throwIfAborted();
    throw await firstOf(error, flow);
  } finally {
    tar.destroy();
  }
}

/** What went wrong first, in words: streams that are destroyed because of it only say that they are. */
async function firstOf(error: unknown, flow: Promise<void>): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  const first = await flow.then(
    () => error,
    (cause: unknown) => cause,
  );
  return isOfFormat(first) ? invalidArchive('is cut off, damaged, or no .tar.gz', first) : first;
}

/** What zlib and tar-stream say of bytes, as opposed to what the source says of itself. */
function isOfFormat(error: unknown): boolean {
  if (error instanceof ServiceError || typeof error !== 'object' || error === null) return false;
  const message = 'message' in error ? String(error.message) : '';
  return codeOf(error)?.startsWith('Z_') === true || /^(Unexpected end of data|Invalid tar header)/.test(message);
}

/** Passes everything on, until too much has gone in for what has come out: tar-stream keeps headers of any length. */
class Hoard extends Transform {
  #hoarded = 0;

  seen(): void {
    this.#hoarded = 0;
  }

  async *watching(body: AsyncIterable<Buffer>, flow: Promise<void>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) {
        this.seen();
        yield chunk;
      }
    } catch (error) {
      throw await firstOf(error, flow);
    }
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void) {
    this.#hoarded += chunk.length;
    if (this.#hoarded > MAX_HOARDED_BYTES) done(invalidArchive('has a header that is too long'));
    else done(null, chunk);
  }
}
