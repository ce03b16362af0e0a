import type { CastingContext, Options as ParseOptions } from 'csv-parse';
import type { Options as StringifyOptions } from 'csv-stringify';
import { unsafeIntegerIn } from '../../../exact-json.ts';
import type { Column, StoredValue } from '../column.ts';
import { type Checked, toStored } from '../value.ts';

/** A record may hold a few of the largest values the API takes, quotes doubled; one quote that never closes is no record. */
const MOST_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** RFC 4180. NULL is an empty field, the empty string is `""`; a text with a line break of any kind is quoted. */
export const WRITING: StringifyOptions = { quoted_match: /^$|[\r\n]/, record_delimiter: '\r\n' };

export const READING: ParseOptions = {
  bom: true,
  cast: (text: string, { quoting }: CastingContext) => (text === '' && !quoting ? null : text),
  record_delimiter: ['\r\n', '\n'],
  max_record_size: MOST_RECORD_CHARACTERS,
};

export type Field = string | null;

/** The text of a field. Nothing is put before text that looks like a formula: a table must come back as it was. */
export function toField({ kind }: Column, value: StoredValue): Field {
  if (value === null) return null;
  if (kind === 'bool') return value === 1 ? 'true' : 'false';
  return String(value);
}

const WHOLE_NUMBER = /^-?(0|[1-9]\d{0,15})$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true], // as other programs write what the file holds
  ['0', false],
]);

/** The value of a field, or the reason why the column does not take it. */
export function fromField(column: Column, field: Field): Checked {
  if (field === null) {
    if (column.nullable) return { value: null };
    return {
      reason: column.kind === 'str' ? 'must not be NULL (an empty text is written as "")' : 'must not be empty',
    };
  }
  switch (column.kind) {
    case 'int':
      return WHOLE_NUMBER.test(field)
        ? toStored(column, Number(field))
        : { reason: `must be a whole number between -(2^53-1) and 2^53-1, not ${shown(field)}` };
    case 'bool':
      return BOOLEANS.has(field)
        ? toStored(column, BOOLEANS.get(field))
        : { reason: `must be true or false, not ${shown(field)}` };
    case 'json':
      return jsonField(column, field);
    case 'str':
      return toStored(column, field);
  }
}

function jsonField(column: Column, field: string): Checked {
  try {
    const value: unknown = JSON.parse(field);
    if (unsafeIntegerIn(field) !== undefined) return { reason: 'must not contain an integer beyond 2^53-1' };
    return toStored(column, value);
  } catch {
    return { reason: `must be JSON, which ${shown(field)} is not` };
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
