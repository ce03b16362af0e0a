import { exactJson } from '../shared/kit/exact-json.ts';
import { findInJson, type JsonValue } from '../shared/kit/json.ts';
import { plainJsonFault } from '../shared/pipeline/plain-json.ts';
import type { Column, StoredValue } from './column.ts';
import type { Table } from './tables.ts';

/** A value in the form SQLite keeps, or the reason why the column does not take it. */
export type Checked = { readonly value: StoredValue } | { readonly reason: string };

const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * Checks a JSON value for a column. What passes comes back as an equal value. Integers inside JSON that lose digits when
 * they are parsed are found in the text, before.
 */
export function toStored(column: Column, value: unknown): Checked {
  if (value === null) return column.nullable ? { value: null } : { reason: 'must not be null' };
  switch (column.kind) {
    case 'int':
      return storedInteger(value);
    case 'bool':
      return typeof value === 'boolean' ? { value: value ? 1 : 0 } : { reason: 'must be true or false' };
    case 'str':
      return typeof value === 'string' ? storedText(value, column.maxLength) : { reason: 'must be a string' };
    case 'json':
      return storedJson(value);
  }
}

function storedInteger(value: unknown): Checked {
  if (typeof value !== 'number' || !Number.isInteger(value)) return { reason: 'must be a whole number' };
  if (!Number.isSafeInteger(value)) return { reason: 'must lie between -(2^53-1) and 2^53-1' };
  return { value: value === 0 ? 0 : value }; // minus zero would be kept as a fraction
}

function storedText(value: string, maxLength: number | undefined): Checked {
  const reason = textFault(value);
  if (reason !== undefined) return { reason };
  if (maxLength !== undefined && [...value].length > maxLength)
    return { reason: `must have at most ${maxLength} characters` };
  return { value };
}

function storedJson(value: unknown): Checked {
  const fault = plainJsonFault(value);
  if (fault) return { reason: `cannot be kept: ${fault.message}` };
  const reason = findInJson(value, (member, { key }) => textFault(key) ?? textFault(member));
  return reason === undefined ? { value: exactJson(value as JsonValue) } : { reason }; // as: it was parsed from JSON, and just found plain
}

function textFault(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (text.includes('\0')) return 'must not contain U+0000';
  if (LONE_SURROGATE.test(text)) return 'must not contain a lone surrogate';
  return undefined;
}

/** A kept value as it goes over the wire. */
export function toWire(column: Column, stored: StoredValue): JsonValue {
  if (stored === null) return null;
  if (column.kind === 'bool') return stored === 1;
  if (column.kind === 'json') return JSON.parse(String(stored)) as JsonValue; // as: the database holds valid JSON only
  return stored;
}

/** Writes a row, its values in the order of the table's columns, as JSON text. */
export function rowWriter(table: Table): (values: readonly StoredValue[]) => string {
  const columns = Object.entries(table.columns).map(
    ([name, { kind }], index) => [`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`, kind] as const,
  );
  return (values) => {
    let text = '';
    for (const [index, [prefix, kind]] of columns.entries()) {
      const value = values[index] ?? null;
      if (value === null) text += `${prefix}null`;
      else if (kind === 'str') text += prefix + JSON.stringify(value);
      else if (kind === 'bool') text += prefix + (value === 1);
      else text += prefix + value;
    }
    return `${text}}`;
  };
}
