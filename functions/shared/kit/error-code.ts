/**
 * The code of a system or SQLite error, `ENOENT` for instance. `instanceof` would not do: it may be of another realm.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
