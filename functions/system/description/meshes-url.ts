/**
 * The base URL of the meshes for this caller: `<prefix>/api/{version}/meshes/`, path-absolute. The prefix consists of
 * what a trusted proxy says it stripped and what precedes `/api` in the received path.
 */
export function meshesUrl(rawPath: string, forwardedPrefix: string): string {
  const [, before = '', version = 'v2'] = /^(.*)\/api\/(v[12])\/urdf\//.exec(rawPath) ?? [];
  return `${forwardedPrefix}${before}/api/${version}/meshes/`;
}
