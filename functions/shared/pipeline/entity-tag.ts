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

/**
 * Whether an `If-Match` header lets a change go through: it names one of these entity tags, or is `*` (RFC 9110, section
 * 13.1.1). A header that is absent does. Other than there a weak tag counts as well: proxies that compress weaken ours,
 * which change with every byte of the content.
 */
export function matchesTag(ifMatch: string | undefined, etags: readonly string[]): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  const tags: readonly string[] = ifMatch.match(/"[^"]*"/g) ?? [];
  return etags.some((etag) => tags.includes(etag));
}
