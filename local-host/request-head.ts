import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../functions/shared/errors.ts';
import type { Limits } from './limits.ts';

/** Headers that steer who is asked or what is allowed; standing twice they are an attack or a broken proxy. */
const SINGLE = ['host', 'authorization', 'content-type', 'content-length', 'x-api-key', 'transfer-encoding'];

export interface Target {
  readonly path: string;
  readonly query: string;
  /** The authority that the client asked for, port included, or undefined when it named none. */
  readonly authority: string | undefined;
}

/**
 * Reads the request target (RFC 9112, section 3.2: origin form, absolute form) and checks the head of the request.
 * @throws ServiceError `uri_too_long`, `headers_too_large`, `bad_request`.
 */
export function readTarget(request: IncomingMessage, limits: Limits): Target {
  const url = request.url ?? '/';
  if (url.length > limits.targetBytes) {
    throw new ServiceError('uri_too_long', {
      detail: `The request target may have at most ${limits.targetBytes} bytes.`,
    });
  }
  checkHeaders(request, limits);
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(url);
  const target = absolute ? url.slice(absolute[0].length) || '/' : url;
  if (!target.startsWith('/') && !target.startsWith('?')) {
    throw new ServiceError('bad_request', { detail: 'The request target must be a path, or an absolute http URL.' });
  }
  const mark = target.indexOf('?');
  return {
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    authority: absolute?.[1] ?? request.headers.host,
  };
}

function checkHeaders({ rawHeaders }: IncomingMessage, limits: Limits): void {
  let size = 0;
  let seen = 0; // one bit for each single header: a set of names would be made for each request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    size += name.length + (rawHeaders[index + 1]?.length ?? 0) + 4;
    const lower = name.toLowerCase();
    const bit = SINGLE.indexOf(lower) + 1;
    if (bit === 0) continue;
    if (seen & (1 << bit)) {
      throw new ServiceError('bad_request', {
        detail: `The header "${lower}" may be sent once only.`,
        errors: [{ pointer: `header:${lower}`, message: 'sent more than once' }],
      });
    }
    seen |= 1 << bit;
  }
  if (size > limits.headerBytes || rawHeaders.length / 2 > limits.headerCount) {
    throw new ServiceError('headers_too_large', {
      detail: `The request headers may have at most ${limits.headerBytes} bytes in ${limits.headerCount} fields.`,
    });
  }
}
