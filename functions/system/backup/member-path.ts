import { pathPartProblem, RESERVED_IN_DESCRIPTIONS } from '../../shared/kit/files/path-part-problem.ts';
import { MEMBER_OF, PARTS, type Part } from './manifest.schema.ts';

/** Longest path of a file below its part, in bytes: with a folder above, file systems take it. */
const MAX_BYTES = 1024;
const MAX_DEPTH = 32;
/** What Python makes again. */
export const CACHE_FOLDER = '__pycache__';

/** Where a member belongs. */
export interface Member {
  readonly part: Part;
  /** Its path inside of the part's folder; empty for a part that is one file. */
  readonly inside: string;
}

/** Which part a member belongs to by its name; undefined for none. Ask {@link memberProblem} next. */
export function memberOf(path: string): Member | undefined {
  for (const part of PARTS) {
    const place = MEMBER_OF[part];
    if (path === place && !place.endsWith('/')) return { part, inside: '' };
    if (place.endsWith('/') && path.startsWith(place)) return { part, inside: path.slice(place.length) };
  }
  return undefined;
}

/**
 * Why a file or folder is not part of a robot, as a sentence; undefined if it is. The one rule for both directions: a
 * backup leaves such a file out, and a restore refuses it. Any other name belongs to the robot, whether or not a route
 * would take it: modules in folders, data beside skills.
 */
export function memberProblem({ part, inside }: Member): string | undefined {
  if (!MEMBER_OF[part].endsWith('/')) return undefined;
  if (inside.includes('\uFFFD')) return 'The path must be valid UTF-8.';
  const segments = inside.split('/');
  if (Buffer.byteLength(inside) > MAX_BYTES || segments.length > MAX_DEPTH) {
    return `The path may have at most ${MAX_BYTES} bytes and ${MAX_DEPTH} parts.`;
  }
  if (segments.includes(CACHE_FOLDER)) return `What is in ${CACHE_FOLDER} is made again.`;
  const reserved = part === 'description' ? RESERVED_IN_DESCRIPTIONS : undefined;
  for (const segment of segments) {
    const problem = pathPartProblem(segment, reserved);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
