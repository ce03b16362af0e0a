import { posix } from 'node:path';

/** How many trailing segments of an absolute path are tried. */
const MAX_SUFFIXES = 32;

/** How many folders above a URDF are tried. */
const MAX_FOLDERS = 16;

/**
 * Lists the paths in the description folder that a mesh or texture reference of a URDF may mean, best guess first;
 * undefined for references that this service does not resolve (`http:`, `data:`, an empty name). The folders of a URDF
 * are its own and those above it, up to the description folder: so packages work where their URDF is in `urdf/`.
 *
 * - `package://name/a/b.stl` (and Gazebo's `model://`): `name/a/b.stl` in one of its folders, then `a/b.stl` in one.
 * - `file:///x/y/a/b.stl` and `/x/y/a/b.stl`: all suffixes, longest first: `x/y/a/b.stl`, `y/a/b.stl`, …
 * - relative: to its own folder, then to the description folder, which `..` cannot leave.
 * @param urdf path of the URDF in the description folder.
 */
export function candidates(reference: string, urdf = ''): readonly string[] | undefined {
  const { scheme, rest } = partsOf(reference);
  const paths = pathsOf(scheme, rest, foldersOf(urdf))?.map(normalize);
  const usable = paths?.filter((path) => path !== '');
  if (!usable || usable.length === 0) return undefined;
  return [...new Set([...usable, ...usable.map(decode).map(normalize)])];
}

/**
 * Of the candidates that do not exist yet, the one where the file will be found once it is added: within its package,
 * which is a folder of its name above the URDF, or else the description folder itself.
 */
export function likeliest(reference: string, urdf: string, paths: readonly string[]): string {
  const { scheme, rest } = partsOf(reference);
  if (scheme !== 'package' && scheme !== 'model') return paths[0] ?? '';
  const [, name = '', inside = ''] = /^\/\/([^/]+)\/+(.*)$/s.exec(rest) ?? [];
  const home = foldersOf(urdf).find((folder) => posix.basename(folder) === name) ?? '';
  return normalize(`${home}/${inside}`) || (paths[0] ?? '');
}

interface ReferenceParts {
  /** In lower case; undefined for a path. */
  readonly scheme: string | undefined;
  readonly rest: string;
}

function partsOf(reference: string): ReferenceParts {
  const text = reference.trim();
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [undefined, undefined, text];
  return { scheme: scheme?.toLowerCase(), rest };
}

/** The folder of a file and those above it, nearest first; the last one is the description folder, ``. */
function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1).slice(0, MAX_FOLDERS);
  return [...segments.map((_, index) => segments.slice(0, segments.length - index).join('/')), ''];
}

function pathsOf(scheme: string | undefined, rest: string, folders: readonly string[]): readonly string[] | undefined {
  const inFolders = (path: string) => folders.map((folder) => `${folder}/${path}`);
  switch (scheme) {
    case undefined:
      return rest.startsWith('/') ? suffixesOf(rest) : rest === '' ? [] : [`${folders[0]}/${rest}`, rest];
    case 'file':
      return suffixesOf(rest.replace(/^\/\/[^/]*(?=\/)/, ''));
    case 'package':
    case 'model':
      if (/^\/*$/.test(rest)) return [];
      return [...inFolders(rest), ...inFolders(rest.replace(/^\/\/[^/]+\/+/, ''))];
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
