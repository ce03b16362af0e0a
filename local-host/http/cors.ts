import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../functions/shared/errors.ts';

/** Response headers that a page from another origin may read. */
const EXPOSED =
  'Authorization, Content-Disposition, Content-Range, ETag, Retry-After, WWW-Authenticate, X-Request-Id, X-Total-Count';
const ALLOWED =
  'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Lease, Range, X-API-Key, X-Request-Id';

export type OriginCheck = (origin: string | undefined, authority: string | undefined) => boolean;
type Cors = (origin: string | undefined, authority?: string) => Readonly<Record<string, string>> | undefined;

/**
 * CORS (Fetch Standard) for the listed origins, and those that `isOwn` accepts; off if there are none. Credentials are
 * never allowed.
 */
export function createCors(origins: readonly string[], isOwn?: OriginCheck): Cors {
  if (origins.length === 0 && !isOwn) return () => undefined;
  const listed = new Set(origins);
  return (origin, authority) => {
    const allowed = origin !== undefined && (listed.has(origin) || listed.has('*') || isOwn?.(origin, authority));
    if (!allowed) return { vary: 'Origin' };
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
  };
}

/**
 * For WebSockets, which browsers open to any origin without asking (RFC 6455, section 10.2): pages of this service and
 * of the listed origins may, and programs, which send no Origin.
 * @returns a check that throws ServiceError `insufficient_access`.
 */
export function createOriginCheck(
  origins: readonly string[],
): (origin: string | undefined, authority: string | undefined) => void {
  const listed = new Set(origins);
  return (origin, authority) => {
    if (origin === undefined || listed.has(origin) || listed.has('*')) return;
    if (origin.replace(/^https?:\/\//, '') === authority) return;
    throw new ServiceError('insufficient_access', {
      detail: 'Pages of this origin may not open a WebSocket. Add the origin to SERVICE_CORS_ORIGINS if they should.',
    });
  };
}

/** Headers of the response to a preflight request from an allowed origin. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '600',
  };
}

/** Whether a browser asks what it may send. */
export function isPreflight({ headers }: IncomingMessage): boolean {
  return headers['access-control-request-method'] !== undefined;
}
