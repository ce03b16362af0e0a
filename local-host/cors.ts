/** Response headers a page of another origin may read. */
const EXPOSED = 'Authorization, ETag, Content-Disposition, Retry-After, X-Request-Id, X-Total-Count';
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Range, X-API-Key, X-Request-Id';

export type Cors = (origin: string | undefined) => Readonly<Record<string, string>> | undefined;

/** CORS (Fetch Standard) for the listed origins and no others; without a list it is off. Cookies are never involved. */
export function createCors(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => undefined;
  const listed = new Set(origins);
  return (origin) => {
    if (origin === undefined || !(listed.has(origin) || listed.has('*'))) return { vary: 'Origin' };
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
  };
}

/** What a preflight of an allowed origin is told about a path. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '600',
  };
}
