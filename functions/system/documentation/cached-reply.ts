import { namesTag } from '../../shared/pipeline/entity-tag.ts';
import { Reply } from '../../shared/pipeline/reply.ts';

/** The representation, or 304 without a body if the client's copy is current (RFC 9110, sections 8.8.3 and 13.1.2). */
export function cachedReply(
  body: string | Buffer,
  etag: string,
  ifNoneMatch: string | undefined,
  headers: Record<string, string> & { readonly 'cache-control': string },
): Reply {
  if (namesTag(ifNoneMatch, etag)) return new Reply('', { etag, 'cache-control': headers['cache-control'] }, 304);
  return new Reply(body, { etag, ...headers });
}
