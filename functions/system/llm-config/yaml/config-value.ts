import { numberText } from '../../../shared/kit/exact-json.ts';

/** A value of the YAML 1.2 core schema. Integers beyond 2^53 are bigints, so that no digit is lost. */
export type ConfigValue = null | boolean | number | bigint | string | ConfigValue[] | ConfigMap;
export type ConfigMap = { [key: string]: ConfigValue };

/** Limit on the values after expanding aliases, against alias bombs and cycles. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 200;

/** The aliases expand into too many values, or are cyclic. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/**
 * Deep-copies a value and expands its aliases. Maps in the copy have no prototype, so that every key is an own key.
 * @throws TooManyValues
 */
export function expandAliases(root: unknown): ConfigValue {
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

/** The value at a path, or undefined. Inherited keys do not count. */
export function valueAt(root: ConfigMap, path: readonly string[]): ConfigValue | undefined {
  let value: ConfigValue | undefined = root;
  for (const key of path) {
    if (!isMap(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Copies the configuration with a different value at an existing path. */
export function withValueAt(root: ConfigMap, path: readonly string[], value: ConfigValue): ConfigMap {
  const copy = expandAliases(root) as ConfigMap; // as: the copy of a map is a map
  const parent = valueAt(copy, path.slice(0, -1));
  if (isMap(parent)) parent[path.at(-1) ?? ''] = value;
  return copy;
}

/**
 * JSON text that preserves every digit of integers, and writes whole doubles beyond 2^53 as `1e+16`. Numbers that JSON
 * cannot express become strings in YAML notation: `.nan`, `.inf`, `-.inf`.
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
