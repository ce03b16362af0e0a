/**
 * A URL as it may be shown: a password inside it becomes `***`, and so does a query, which may hold a token. A password
 * ends at the last `@`, since it may hold unescaped ones. What is not a URL is shown as it is.
 */
export function maskUrl(url: string): string {
  return url.replace(/\?.*$/s, '?***').replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:]*):.*@/is, '$1:***@');
}
