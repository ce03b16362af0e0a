import type { CastingContext, Options as ParseOptions } from 'csv-parse';
import type { Options as StringifyOptions } from 'csv-stringify';
import { unsafeIntegerIn } from '../../../shared/kit/exact-json.ts';
import type { Column, StoredValue } from '../../column.ts';
import { type Checked, toStored } from '../../value.ts';

/** A record may hold a few of the largest values the API takes, quotes doubled; one quote that never closes is no record. */
const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** RFC 4180. NULL is an empty field, the empty string is `""`; a text with a line break of any kind is quoted. */
export const WRITING: StringifyOptions = { quoted_match: /^$|[\r\n]/, record_delimiter: '\r\n' };

export const READING: ParseOptions = {
  bom: true,
  cast: (text: string, { quoting }: CastingContext) => (text === '' && !quoting ? null : text),
  record_delimiter: ['\r\n', '\n'],
  max_record_size: MAX_RECORD_CHARACTERS,
};

export type Field = string | null;

/** The text of a field. Nothing is put before text that looks like a formula: a table must come back as it was. */
export function toField({ kind }: Column, value: StoredValue): Field {
  if (value === null) return null;
  if (kind === 'bool') return value === 1 ? 'true' : 'false';
  return String(value);
}

/** pandas writes integers of a column with gaps as `1.0`. */
const WHOLE_NUMBER = /^(-?(?:0|[1-9]\d{0,15}))(?:\.0+)?$/;
/** Spelled in small letters. `1` and `0` are how other programs write what the database holds. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['1.0', true],
  ['0.0', false],
]);
/** JSON words as spreadsheets write them: `TRUE`, `NULL`. */
const JSON_WORD = /^(?:true|false|null)$/i;

/** The value of a field, or the reason why the column does not take it, and how to mend it. */
export function fromField(column: Column, field: Field): Checked {
  if (field === null) return fromEmpty(column);
  switch (column.kind) {
    case 'int':
      return integerField(column, field);
    case 'bool': {
      const value = BOOLEANS.get(field.toLowerCase());
      if (value !== undefined) return toStored(column, value);
      return { reason: `must be true or false, not ${shown(field)} (TRUE, FALSE, 1 and 0 will do)` };
    }
    case 'json':
      return jsonField(column, field);
    case 'str':
      return toStored(column, field);
  }
}

/** Spreadsheets write the empty text as they write nothing: where NULL cannot be, it is the empty text. */
function fromEmpty(column: Column): Checked {
  if (column.nullable) return { value: null };
  if (column.key) return { reason: 'must not be NULL: every row needs a key of its own' };
  if (column.kind === 'str') return toStored(column, '');
  return { reason: `must not be empty: write ${column.kind === 'bool' ? 'true or false' : 'a value'}` };
}

function integerField(column: Column, field: string): Checked {
  const digits = WHOLE_NUMBER.exec(field)?.[1];
  if (digits !== undefined) return toStored(column, Number(digits));
  const mend = /^-?\d[.,]?\d*E\+?\d+$/i.test(field)
    ? ' (the spreadsheet has shortened it: format the column as a number without decimals, and enter it anew)'
    : '';
  return { reason: `must be a whole number between -(2^53-1) and 2^53-1, not ${shown(field)}${mend}` };
}

function jsonField(column: Column, field: string): Checked {
  const text = JSON_WORD.test(field) ? field.toLowerCase() : field;
  try {
    const value: unknown = JSON.parse(text);
    if (unsafeIntegerIn(text) !== undefined) return { reason: 'must not contain an integer beyond 2^53-1' };
    return toStored(column, value);
  } catch {
    return { reason: `must be JSON, which ${shown(field)} is not (a text is written as """text""")` };
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
