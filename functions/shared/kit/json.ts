export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Keys and indexes that lead from the root of a JSON value to a place in it. */
export type JsonPath = ReadonlyArray<string | number>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON pointer of a path (RFC 6901). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** An array or object that is still to be looked through. */
interface Container {
  readonly value: object;
  readonly key: string | number | undefined;
  readonly parent: Container | undefined;
  readonly depth: number;
}

/** Where {@link findInJson} is; one object for the whole walk. */
class Place {
  /** Name of the member or index of the item; undefined at the root. */
  key: string | number | undefined = undefined;
  /** 1 at the root, 2 for what it holds, and so on. */
  depth = 1;
  parent: Container | undefined = undefined;

  get path(): Array<string | number> {
    const path = this.key === undefined ? [] : [this.key];
    for (let at = this.parent; at?.key !== undefined; at = at.parent) path.unshift(at.key);
    return path;
  }
}

/**
 * The first result that `check` gives for a JSON value or for anything in it; undefined when it gives none. Walks
 * without recursion, so that no input can exhaust the stack, and looks into nothing before it was checked.
 */
export function findInJson<T>(
  root: unknown,
  check: (value: unknown, at: Readonly<Place>) => T | undefined,
): T | undefined {
  const at = new Place();
  const found = check(root, at);
  if (found !== undefined || !isContainer(root)) return found;
  const open: Container[] = [{ value: root, key: undefined, parent: undefined, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    at.parent = next;
    at.depth = next.depth + 1;
    // To list the keys of a long array would cost more than the whole walk.
    const keys = Array.isArray(next.value) ? undefined : Object.keys(next.value);
    const members: readonly unknown[] = Array.isArray(next.value) ? next.value : Object.values(next.value);
    for (let index = 0; index < members.length; index += 1) {
      const key = keys?.[index] ?? index;
      const value = members[index];
      at.key = key;
      const found = check(value, at);
      if (found !== undefined) return found;
      if (isContainer(value)) open.push({ value, key, parent: next, depth: at.depth });
    }
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The path to a number that JSON cannot represent: NaN or an infinite one. */
export function nonFiniteIn(root: unknown): JsonPath | undefined {
  return findInJson(root, (value, at) => (typeof value === 'number' && !Number.isFinite(value) ? at.path : undefined));
}
