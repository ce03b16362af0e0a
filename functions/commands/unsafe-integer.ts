/**
 * Where in a JSON value an integer beyond ±(2^53-1) stands, as keys and indexes: it was rounded on the way in, and to
 * send it on would change what the caller said. Walks without recursion.
 */
export function unsafeIntegerPath(root: object): string[] | undefined {
  const open: Array<readonly [value: object, path: string[]]> = [[root, []]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      // as: narrows the library's any
      if (typeof member === 'object' && member !== null) open.push([member, [...path, key]]);
      else if (Number.isInteger(member) && !Number.isSafeInteger(member)) return [...path, key];
    }
  }
  return undefined;
}
