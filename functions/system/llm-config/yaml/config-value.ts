import { numberText } from '../../../shared/exact-json.ts';

/** A value as YAML 1.2 core knows it. Integers beyond 2^53 are bigints, so that no digit of them is lost. */
export type ConfigValue = null | boolean | number | bigint | string | ConfigValue[] | ConfigMap;
export type ConfigMap = { [key: string]: ConfigValue };

/** Most values a configuration may have once its aliases are written out; it ends alias bombs and circles. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 200;

/** Aliases that unfold into too much, or into themselves. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/**
 * A copy in which nothing is shared: what an alias shows is written out. Maps have no prototype, so that every key is
 * their own. @throws TooManyValues
 */
export function unfold(root: unknown): ConfigValue {
  let count = 0;
  return copy(root, 0);

  function copy(value: unknown, depth: number): ConfigValue {
    count += 1;
    if (count > MAX_VALUES || depth > MAX_DEPTH) throw new TooManyValues();
    if (typeof value !== 'object' || value === null) return value as ConfigValue; // as: a scalar of the core schema
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    const map: ConfigMap = Object.create(null);
    for (const [key, member] of Object.entries(value)) map[key] = copy(member, depth + 1);
    return map;
  }
}

export function isMap(value: ConfigValue | undefined): value is ConfigMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of own keys, or undefined. */
export function valueAt(root: ConfigMap, path: readonly string[]): ConfigValue | undefined {
  let value: ConfigValue | undefined = root;
  for (const key of path) {
    if (!isMap(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy of the whole with another value at an existing path. */
export function withValueAt(root: ConfigMap, path: readonly string[], value: ConfigValue): ConfigMap {
  const copy = unfold(root) as ConfigMap; // as: the copy of a map is a map
  const parent = valueAt(copy, path.slice(0, -1));
  if (isMap(parent)) parent[path.at(-1) ?? ''] = value;
  return copy;
}

/**
 * JSON text with every digit of every integer, and doubles that are whole and beyond 2^53 as `1e+16`. What JSON has no word for is a string as YAML writes it: `.nan`, `.inf`,
 * `-.inf`.
 */
export function jsonText(value: ConfigValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '".nan"' : value > 0 ? '".inf"' : '"-.inf"';
  }
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`);
  return `{${members.join(',')}}`;
}
