import { MEMBER_OF, PARTS, type Part } from './manifest.schema.ts';

/** Longest path of a file below its part, in bytes: with a folder above, file systems take it. */
const MAX_BYTES = 1024;
const MAX_DEPTH = 32;
/** Of a segment of a path: what every file system takes, and nothing that names another folder. */
const SEGMENT = /^(?!\.{1,2}$)[^\0/\\]+$/;
const MAX_SEGMENT_BYTES = 240;

/** Which part a member belongs to, and its path inside; undefined for a path that no archive of ours has. */
export function partOf(path: string): { readonly part: Part; readonly inside: string } | undefined {
  for (const part of PARTS) {
    const place = MEMBER_OF[part];
    if (path === place && !place.endsWith('/')) return { part, inside: '' };
    if (place.endsWith('/') && path.startsWith(place) && isSafePath(path.slice(place.length))) {
      return { part, inside: path.slice(place.length) };
    }
  }
  return undefined;
}

/** Whether a relative path stays inside of its folder on any file system, in every way of writing it. */
export function isSafePath(path: string): boolean {
  const segments = path.split('/');
  return (
    !path.includes('\uFFFD') && // it was not UTF-8
    Buffer.byteLength(path) <= MAX_BYTES &&
    segments.length <= MAX_DEPTH &&
    segments.every((segment) => SEGMENT.test(segment) && Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES)
  );
}
