/**
 * Whether an `If-None-Match` header names this entity tag, so that the client has the content already: weak comparison,
 * a list, or `*` (RFC 9110, section 13.1.2).
 */
export function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag.replace(/^W\//, ''));
}
