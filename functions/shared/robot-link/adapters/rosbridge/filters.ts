import type { JsonValue } from '../../../kit/json.ts';
import { toDegrees, toRadians } from '../angle.ts';

/** What is known of a value before there is one; `any` is checked when there is. */
export type ValueType = 'number' | 'string' | 'boolean' | 'object' | 'list' | 'any';

/** One step a value takes on its way into a message or out of an answer. */
export interface Filter {
  readonly takes: ValueType;
  readonly gives: ValueType;
  /** undefined when the value has the type but not the form. */
  readonly apply: (value: never) => JsonValue | undefined;
}

const same = (value: JsonValue) => value;
const check = (type: ValueType): Filter => ({ takes: type, gives: type, apply: same });
const arithmetic = (apply: (value: number) => number): Filter => ({ takes: 'number', gives: 'number', apply });

/** Every filter a template may name. There are no others: a mapping is data and runs nothing. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries({
    number: check('number'),
    string: check('string'),
    boolean: check('boolean'),
    object: check('object'),
    list: check('list'),
    radians: arithmetic(toRadians),
    degrees: arithmetic(toDegrees),
    /** Percent as a part of 1, and the way back. */
    fraction: arithmetic((percent) => percent / 100),
    percent: arithmetic((part) => part * 100),
    integer: arithmetic(Math.round),
    not: { takes: 'boolean', gives: 'boolean', apply: (value: boolean) => !value },
    quaternion: { takes: 'number', gives: 'object', apply: quaternionOf },
    yaw: { takes: 'object', gives: 'number', apply: yawOf },
    json: { takes: 'any', gives: 'string', apply: (value: JsonValue) => JSON.stringify(value) },
    parsed: { takes: 'string', gives: 'any', apply: parse },
  } satisfies Record<string, Filter>),
);

/** The rotation about z by so many degrees. */
function quaternionOf(degrees: number): { x: number; y: number; z: number; w: number } {
  const half = toRadians(degrees) / 2;
  return { x: 0, y: 0, z: Math.sin(half), w: Math.cos(half) };
}

/** The heading of a rotation in degrees; undefined when it is not one. */
export function yawOf(rotation: Record<string, JsonValue>): number | undefined {
  const { x, y, z, w } = rotation;
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number' || typeof w !== 'number')
    return undefined;
  if (Math.hypot(x, y, z, w) === 0) return undefined;
  return toDegrees(Math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z));
}

export function typeOf(value: JsonValue): ValueType {
  if (Array.isArray(value)) return 'list';
  if (value === null) return 'any';
  if (typeof value === 'object') return 'object';
  return typeof value as 'number' | 'string' | 'boolean'; // as: JSON has no other types
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue; // as: what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}
