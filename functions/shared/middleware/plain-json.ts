import type { Fault } from '../errors.ts';

/** Deepest nesting of arrays and objects that is taken in. */
export const MAX_DEPTH = 64;

/** An array or object that is still to be looked through, and the way to it. */
interface Open {
  readonly value: object;
  readonly key: string | number;
  readonly parent: Open | undefined;
  readonly depth: number;
}

/**
 * Finds what JSON can say but no answer could carry back unharmed: nesting beyond 64 levels, numbers beyond the range of
 * a double, a member named `__proto__`. Walks without recursion, so that no input can exhaust the stack.
 */
export function plainJsonFault(root: unknown): Fault | undefined {
  if (!isContainer(root)) return isBeyondDouble(root) ? beyondDouble('') : undefined;
  const open: Open[] = [{ value: root, key: '', parent: undefined, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.depth > MAX_DEPTH) return tooDeep();
    const fault = Array.isArray(next.value) ? lookThroughArray(next, next.value, open) : lookThroughObject(next, open);
    if (fault) return fault;
  }
  return undefined;
}

export function tooDeep(): Fault {
  return { pointer: '', message: `JSON may be nested at most ${MAX_DEPTH} levels deep. Send it flatter.` };
}

function lookThroughArray(parent: Open, members: readonly unknown[], open: Open[]): Fault | undefined {
  for (let index = 0; index < members.length; index += 1) {
    const member = members[index];
    if (isContainer(member)) open.push({ value: member, key: index, parent, depth: parent.depth + 1 });
    else if (isBeyondDouble(member)) return beyondDouble(pointerTo(parent, index));
  }
  return undefined;
}

function lookThroughObject(parent: Open, open: Open[]): Fault | undefined {
  for (const [key, member] of Object.entries(parent.value)) {
    if (key === '__proto__') return { pointer: pointerTo(parent), message: 'A member must not be named "__proto__".' };
    if (isContainer(member)) open.push({ value: member, key, parent, depth: parent.depth + 1 });
    else if (isBeyondDouble(member)) return beyondDouble(pointerTo(parent, key));
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isBeyondDouble(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function beyondDouble(pointer: string): Fault {
  return { pointer, message: 'The number lies beyond the range of a double.' };
}

function pointerTo(container: Open, key?: string | number): string {
  const keys = key === undefined ? [] : [key];
  for (let at: Open | undefined = container; at?.parent; at = at.parent) keys.unshift(at.key);
  return keys.map((each) => `/${escapePointer(String(each))}`).join('');
}

/** One reference token of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
