import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../shared/errors.ts';

/** The uploaded file. Its name comes from the client and has not been validated. */
interface UploadedFile {
  readonly fileName: string;
  readonly bytes: Buffer;
}

const PART = 'skill';
/** Longest name from a form that an error repeats. */
const MAX_NAME_CHARS = 64;
/** A second part is not parsed, but reported by an event. */
const LIMITS = { parts: 1, fieldSize: 0, headerPairs: 16, headerSize: 8 * 1024 };

/**
 * Parses a multipart form (RFC 7578) with exactly one part: a file named `skill`.
 * @throws ServiceError `malformed_multipart`.
 */
export async function readUploadForm(body: Buffer | '', contentType: string): Promise<UploadedFile> {
  if (body === '') throw malformed('The body is empty; expected a form with one file part named "skill".');
  const files: Array<{ readonly part: string; readonly fileName: string; readonly chunks: Buffer[] }> = [];
  let others = 0;
  try {
    const parser = new Busboy({ headers: { 'content-type': contentType }, preservePath: true, limits: LIMITS });
    parser.on('file', (part, stream, fileName) => {
      const chunks: Buffer[] = [];
      files.push({ part, fileName, chunks });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => {}); // also reported by the parser
    });
    parser.on('field', () => others++);
    parser.on('partsLimit', () => others++);
    await new Promise<void>((resolve, reject) => {
      parser.once('finish', resolve);
      parser.on('error', reject);
      parser.end(body);
    });
  } catch (cause) {
    throw malformed('The body is not a complete multipart form: its boundary or its end is missing.', cause);
  }
  const [file] = files;
  if (file && others === 0 && typeof file.part === 'string' && file.part !== PART) {
    throw malformed(`The file part is named "${file.part.slice(0, MAX_NAME_CHARS)}"; name it "skill".`);
  }
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
