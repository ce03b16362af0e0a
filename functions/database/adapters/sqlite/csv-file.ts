import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { textBeforeFault } from '../../../shared/kit/utf8.ts';
import { type CsvFile, missing } from './export-path.ts';

/** Largest file that is imported: 256 MiB. */
const MAX_BYTES = 256 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Opens a regular file, never through a link. Errors: not_found, validation_failed, file_too_large. */
export async function openCsv({ file, path }: CsvFile): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: FileHandle;
  try {
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw missing(path);
    throw notReadable(path, error);
  }
  const stats = await handle.stat();
  if (stats.isFile() && stats.size <= MAX_BYTES) return handle;
  await handle.close();
  throw stats.isFile() ? tooLarge(path) : notReadable(path);
}

/** Passes the bytes on as long as they are UTF-8 and not too many: decoding would put U+FFFD in place of what is not. */
export async function* vetted(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge(path);
    try {
      decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw invalidCsv({
        path,
        line: line + linesBeforeFault(chunk),
        reason: 'it is not UTF-8: save it as "CSV UTF-8", or choose the character set UTF-8',
        cause,
      });
    }
    yield chunk;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) line += 1;
  }
  try {
    decoder.decode();
  } catch (cause) {
    throw invalidCsv({ path, line, reason: 'it ends within a UTF-8 character', cause });
  }
}

/** A chunk may begin within a character, which is then not the fault. */
function linesBeforeFault(chunk: Buffer): number {
  const start = chunk.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return (textBeforeFault(chunk.subarray(start))?.split('\n').length ?? 1) - 1;
}

/** The first bad line: where it is and what is wrong. */
interface BadLine {
  readonly path: string;
  readonly line: number;
  readonly column?: string | undefined;
  readonly reason: string;
  readonly cause?: unknown;
}

export function invalidCsv({ path, line, column, reason, cause }: BadLine): ServiceError {
  const where = `line ${line}${column === undefined ? '' : `, column ${JSON.stringify(column)}`}`;
  return new ServiceError('invalid_csv', {
    detail: `${path}, ${where}: ${reason}. Nothing was imported.`,
    errors: [{ pointer: '/path', message: `${where}: ${reason}` }],
    cause,
  });
}

function tooLarge(path: string): ServiceError {
  return new ServiceError('file_too_large', {
    detail: `${path} has more than 256 MiB. Nothing was imported; split the file, each part with the header line.`,
  });
}

function notReadable(path: string, cause?: unknown): ServiceError {
  return new ServiceError('validation_failed', {
    detail: `${path} is no regular file that the service can read.`,
    errors: [{ pointer: '/path', message: 'The path must name a regular file.' }],
    cause,
  });
}
