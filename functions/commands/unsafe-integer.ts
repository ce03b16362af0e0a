/**
 * Where in a JSON value an integer beyond ±(2^53-1) stands, as keys and indexes: it was rounded on the way in, and to
 * send it on would change what the caller said. Walks without recursion.
 */
export function unsafeIntegerPath(root: object): PropertyKey[] | undefined {
  const open: Array<readonly [value: object, path: PropertyKey[]]> = [[root, []]];
  let found: PropertyKey[] | undefined;
  const look = (member: unknown, path: PropertyKey[], key: PropertyKey): void => {
    if (typeof member === 'object' && member !== null) open.push([member, [...path, key]]);
    else if (Number.isInteger(member) && !Number.isSafeInteger(member)) found ??= [...path, key];
  };
  for (let next = open.pop(); next && !found; next = open.pop()) {
    const [value, path] = next;
    // By index: to list the keys of a long array first costs more than the whole walk.
    if (Array.isArray(value)) for (let index = 0; index < value.length; index++) look(value[index], path, index);
    else for (const [key, member] of Object.entries(value)) look(member, path, key);
  }
  return found;
}
