/**
 * The URL below which the caller finds the meshes: `<prefix>/api/{version}/meshes/`, path-absolute. The prefix is what a
 * trusted proxy says it took off, and what stands before `/api` in the path as received.
 */
export function meshesUrl(rawPath: string, forwardedPrefix: string): string {
  const [, before = '', version = 'v2'] = /^(.*)\/api\/(v[12])\/urdf\//.exec(rawPath) ?? [];
  return `${forwardedPrefix}${before}/api/${version}/meshes/`;
}
