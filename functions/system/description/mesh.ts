import { ServiceError } from '../../shared/errors.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { type ByteRange, byteRange } from './byte-range.ts';
import type { MeshHeaders } from './description.schema.ts';
import { mediaTypeOf } from './media-type.ts';
import type { DescriptionFile, DescriptionFiles } from './port.ts';
import { preconditions, rangeApplies } from './preconditions.ts';

interface MeshRequest {
  readonly filepath: string;
  readonly headers: MeshHeaders;
  /** Ranges are only defined for GET (RFC 9110, section 14.2). */
  readonly method: string;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * Streams a mesh or texture: the whole file, one range (206), or nothing if the client's copy is current (304).
 * @throws ServiceError `not_found`, `range_not_satisfiable`, `precondition_failed`.
 */
export async function getMesh(files: DescriptionFiles, request: MeshRequest): Promise<Reply> {
  const file = await files.open(request.filepath);
  if (!file)
    throw new ServiceError('not_found', {
      detail: 'The description folder (SERVICE_DESCRIPTION_DIR) has no file at this path.',
    });
  try {
    return replyTo(request, file) ?? (await notModified(file));
  } catch (error) {
    await file.close();
    throw error;
  }
}

function replyTo({ filepath, headers, method, now }: MeshRequest, file: DescriptionFile): Reply | undefined {
  const verdict = preconditions(headers, file);
  if (verdict === 304) return undefined;
  if (verdict === 412) {
    throw new ServiceError('precondition_failed', {
      detail: 'The file has changed. Request it without preconditions.',
    });
  }
  const rangeHeader = method === 'GET' && rangeApplies(headers['if-range'], file, now) ? headers.range : undefined;
  const range = byteRange(rangeHeader, file.size);
  const common = { ...validatorsOf(file), 'content-type': mediaTypeOf(filepath), 'accept-ranges': 'bytes' };
  return range ? partial(file, range, common) : complete(file, common);
}

function complete(file: DescriptionFile, headers: Record<string, string>): Reply {
  return new Reply(file.stream(0, Math.max(file.size - 1, 0)), { ...headers, 'content-length': String(file.size) });
}

function partial(file: DescriptionFile, { start, end }: ByteRange, headers: Record<string, string>): Reply {
  const contentRange = `bytes ${start}-${end}/${file.size}`;
  const length = String(end - start + 1);
  return new Reply(
    file.stream(start, end),
    { ...headers, 'content-range': contentRange, 'content-length': length },
    206,
  );
}

async function notModified(file: DescriptionFile): Promise<Reply> {
  await file.close();
  return new Reply('', validatorsOf(file), 304);
}

function validatorsOf({ etag, modifiedAt }: DescriptionFile): Record<string, string> {
  return { etag, 'last-modified': new Date(modifiedAt).toUTCString(), 'cache-control': 'private, no-cache' };
}
