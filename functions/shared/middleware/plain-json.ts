import type { Fault } from '../errors.ts';

/** Deepest nesting of arrays and objects that is taken in. */
const MAX_DEPTH = 64;

/**
 * Finds what JSON can say but no answer could carry back unharmed: nesting beyond 64 levels, numbers beyond the range of
 * a double, a member named `__proto__`. Walks without recursion, so that no input can exhaust the stack.
 */
export function plainJsonFault(root: unknown): Fault | undefined {
  if (typeof root !== 'object' || root === null) return scalarFault(root, '');
  const open: Array<readonly [value: object, pointer: string, depth: number]> = [[root, '', 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, pointer, depth] = next;
    if (depth > MAX_DEPTH) return { pointer: '', message: `JSON may be nested at most ${MAX_DEPTH} levels deep.` };
    for (const key of Object.keys(value)) {
      if (key === '__proto__') return { pointer, message: 'A member must not be named "__proto__".' };
      const member = (value as Record<string, unknown>)[key]; // as: own enumerable keys of an object or array
      if (typeof member === 'object' && member !== null)
        open.push([member, `${pointer}/${escapePointer(key)}`, depth + 1]);
      else {
        const fault = scalarFault(member, `${pointer}/${escapePointer(key)}`);
        if (fault) return fault;
      }
    }
  }
  return undefined;
}

function scalarFault(value: unknown, pointer: string): Fault | undefined {
  if (typeof value !== 'number' || Number.isFinite(value)) return undefined;
  return { pointer, message: 'The number lies beyond the range of a double.' };
}

/** One reference token of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
