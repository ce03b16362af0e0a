import { posix } from 'node:path';

/** How many trailing segments of an absolute path are tried. */
const MAX_SUFFIXES = 32;

/**
 * Lists the paths in the description folder that a mesh or texture reference of a URDF may mean, best guess first;
 * undefined for references that this service does not resolve (`http:`, `data:`, an empty name).
 *
 * - `package://name/a/b.stl` (and Gazebo's `model://`): `name/a/b.stl`, then `a/b.stl`.
 * - `file:///x/y/a/b.stl` and `/x/y/a/b.stl`: all suffixes, longest first: `x/y/a/b.stl`, `y/a/b.stl`, …
 * - relative: to the description folder, which contains the URDF and which `..` cannot leave.
 */
export function candidates(reference: string): readonly string[] | undefined {
  const text = reference.trim();
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [undefined, undefined, text];
  const paths = pathsOf(scheme?.toLowerCase(), rest)?.map(normalize);
  const usable = paths?.filter((path) => path !== '');
  if (!usable || usable.length === 0) return undefined;
  return [...new Set([...usable, ...usable.map(decode).map(normalize)])];
}

function pathsOf(scheme: string | undefined, rest: string): readonly string[] | undefined {
  switch (scheme) {
    case undefined:
      return rest.startsWith('/') ? suffixesOf(rest) : [rest];
    case 'file':
      return suffixesOf(rest.replace(/^\/\/[^/]*(?=\/)/, ''));
    case 'package':
    case 'model':
      return [rest, rest.replace(/^\/\/[^/]+\/+/, '')];
    default:
      return undefined;
  }
}

/** `a/b/c`, `b/c`, `c`. */
function suffixesOf(path: string): string[] {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .slice(-MAX_SUFFIXES);
  return segments.map((_, index) => segments.slice(index).join('/'));
}

/** Resolves `.`, `..` and duplicate slashes, never going above the folder. */
function normalize(path: string): string {
  return posix.normalize(`/${path}`).slice(1).replace(/\/$/, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a literal percent sign
  }
}
