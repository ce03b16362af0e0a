import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../shared/errors.ts';

/** The uploaded file. The name is as the client wrote it: nothing about it has been checked. */
export interface UploadedFile {
  readonly fileName: string;
  readonly bytes: Buffer;
}

const PART = 'skill';
/** A second part of any kind is not read; that it was there is told by an event. */
const LIMITS = { parts: 1, fieldSize: 0, headerPairs: 16, headerSize: 8 * 1024 };

/**
 * Takes a multipart form apart (RFC 7578) that holds exactly one part: a file named `skill`.
 * @throws ServiceError `malformed_multipart` saying what is wrong with it.
 */
export async function readUploadForm(body: Buffer | '', contentType: string): Promise<UploadedFile> {
  if (body === '') throw malformed('The body is empty; a form with one file part named "skill" is needed.');
  const files: Array<{ readonly part: string; readonly fileName: string; readonly chunks: Buffer[] }> = [];
  let others = 0;
  try {
    const parser = new Busboy({ headers: { 'content-type': contentType }, preservePath: true, limits: LIMITS });
    parser.on('file', (part, stream, fileName) => {
      const chunks: Buffer[] = [];
      files.push({ part, fileName, chunks });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => {}); // the parser has said so itself
    });
    parser.on('field', () => others++);
    parser.on('partsLimit', () => others++);
    await new Promise<void>((resolve, reject) => {
      parser.once('finish', resolve);
      parser.on('error', reject);
      parser.end(body);
    });
  } catch (cause) {
    throw malformed('The body is not a complete multipart form; its boundary or its end is missing.', cause);
  }
  const [file] = files;
  if (!file || others > 0 || file.part !== PART) {
    throw malformed('The form must have exactly one part: a file named "skill".');
  }
  if (typeof file.fileName !== 'string' || file.fileName === '') {
    throw malformed('The file part "skill" has no file name.');
  }
  return { fileName: file.fileName, bytes: Buffer.concat(file.chunks) };
}

function malformed(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('malformed_multipart', { detail, cause });
}
