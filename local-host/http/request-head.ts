import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { Limits } from './limits.ts';
import { isRequestLineExact } from './request-line.ts';

/** Headers that decide routing or access; a duplicate means an attack or a broken proxy. */
const SINGLETON_HEADERS = ['host', 'authorization', 'content-type', 'content-length', 'x-api-key', 'transfer-encoding'];

export interface Target {
  readonly path: string;
  readonly query: string;
  /** The authority the client asked for, including the port; undefined if it sent none. */
  readonly authority: string | undefined;
}

/**
 * Reads the request target (RFC 9112, section 3.2: origin form, absolute form) and checks the headers.
 * @throws ServiceError `uri_too_long`, `headers_too_large`, `bad_request`.
 */
export function readTarget(request: IncomingMessage, limits: Limits): Target {
  const url = request.url ?? '/';
  if (url.length > limits.targetBytes) {
    throw new ServiceError('uri_too_long', {
      detail: `The request target must be at most ${limits.targetBytes} bytes.`,
    });
  }
  if (!isRequestLineExact(request)) {
    throw new ServiceError('bad_request', { detail: 'The request line must have single spaces between its parts.' });
  }
  assertValidHeaders(request, limits);
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(url);
  const target = absolute ? url.slice(absolute[0].length) || '/' : url;
  if (!target.startsWith('/') && !target.startsWith('?')) {
    throw new ServiceError('bad_request', { detail: 'The request target must be a path or an absolute http URL.' });
  }
  if (target.includes('#')) {
    throw new ServiceError('bad_request', {
      detail: 'The request target must not have a fragment. Leave "#" and what follows out, or write it as %23.',
    });
  }
  const mark = target.indexOf('?');
  return {
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    authority: absolute?.[1] ?? request.headers.host,
  };
}

function assertValidHeaders({ rawHeaders }: IncomingMessage, limits: Limits): void {
  let size = 0;
  let seen = 0; // a bit mask over SINGLETON_HEADERS, to avoid allocating a Set for each request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    size += name.length + (rawHeaders[index + 1]?.length ?? 0) + 4;
    const lower = name.toLowerCase();
    const bit = SINGLETON_HEADERS.indexOf(lower) + 1;
    if (bit === 0) continue;
    if (seen & (1 << bit)) {
      throw new ServiceError('bad_request', {
        detail: `The header "${lower}" must be sent only once.`,
        errors: [{ pointer: `header:${lower}`, message: 'sent more than once' }],
      });
    }
    seen |= 1 << bit;
  }
  if (size > limits.headerBytes || rawHeaders.length / 2 > limits.headerCount) {
    throw new ServiceError('headers_too_large', {
      detail: `The request headers must be at most ${limits.headerBytes} bytes in ${limits.headerCount} fields.`,
    });
  }
}
