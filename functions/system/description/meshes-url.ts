/**
 * The base URL of the meshes for this caller: `<prefix>/api/{version}/meshes/`, path-absolute. The prefix consists of
 * what a trusted proxy says it stripped and what precedes `/api` in the received path.
 */
export function meshesUrl(rawPath: string, forwardedPrefix: string): string {
  const [, before = '', version = 'v2'] = /^(.*?)\/api\/(v[12])\/urdf\//.exec(rawPath) ?? [];
  return `${forwardedPrefix}${before}/api/${version}/meshes/`;
}

/** A path in a URL, encoded per RFC 3986, plus the characters that have a meaning in XML attributes. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
