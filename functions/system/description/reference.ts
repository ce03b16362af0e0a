import { posix } from 'node:path';

/** An absolute path is looked for by this many of its last segments, at most. */
const MAX_ENDS = 32;

/**
 * Where in the description folder a mesh or texture reference of a URDF may stand, best guess first; undefined for what
 * is not ours to answer (`http:`, `data:`, an empty name).
 *
 * - `package://name/a/b.stl` (and Gazebo's `model://`): `name/a/b.stl`, else `a/b.stl`.
 * - `file:///x/y/a/b.stl` and `/x/y/a/b.stl`: the longest end of the path that exists: `x/y/a/b.stl`, `y/a/b.stl`, …
 * - relative: from the description folder, where the URDF stands; it cannot be left by `..`.
 */
export function candidates(reference: string): readonly string[] | undefined {
  const text = reference.trim();
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [undefined, undefined, text];
  const paths = pathsOf(scheme?.toLowerCase(), rest)?.map(inside);
  const usable = paths?.filter((path) => path !== '');
  if (!usable || usable.length === 0) return undefined;
  return [...new Set([...usable, ...usable.map(decoded).map(inside)])];
}

function pathsOf(scheme: string | undefined, rest: string): readonly string[] | undefined {
  switch (scheme) {
    case undefined:
      return rest.startsWith('/') ? endsOf(rest) : [rest];
    case 'file':
      return endsOf(rest.replace(/^\/\/[^/]*(?=\/)/, ''));
    case 'package':
    case 'model':
      return [rest, rest.replace(/^\/\/[^/]+\/+/, '')];
    default:
      return undefined;
  }
}

/** `a/b/c`, `b/c`, `c`. */
function endsOf(path: string): string[] {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .slice(-MAX_ENDS);
  return segments.map((_, index) => segments.slice(index).join('/'));
}

/** Without `.`, `..` and doubled slashes, and never above the folder. */
function inside(path: string): string {
  return posix.normalize(`/${path}`).slice(1).replace(/\/$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a percent sign that is meant as one
  }
}
