import type { Column } from '../../functions/database/column.ts';
import { TABLES, type Table } from '../../functions/database/tables.ts';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';

/** Texts that break what is careless: quoting, delimiters, line ends, formulas, SQL, JSON inside JSON. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '\r\n',
  'a,"b"\r\nc',
  '=1+1',
  '@SUM(A1)',
  '-2+3',
  '+cmd|x',
  "'; drop table robots_table; --",
  '{"a":"{\\"b\\":1}"}',
  'null',
  'NULL',
  'true',
  '0012',
  '\ufeffbom',
  'é\u0301 漢字 🤖',
  '\u0001\u007f\u2028',
  '\\',
  '\\N',
  '#',
];

export const HOSTILE_JSON: readonly JsonValue[] = [
  {},
  [],
  'text',
  '',
  0,
  false,
  { '': '' },
  { 'a"b\n,': ['"', '\r\n', { deep: [[null, true, 1.5]] }] },
  JSON.stringify({ inner: JSON.stringify(['x']) }),
  [9007199254740991, -9007199254740991, 1e-7, 0.1, -1.5e300],
];

/** Rows every other row may refer to by id 1. */
export const PARENTS: ReadonlyArray<readonly [table: string, item: JsonObject]> = [
  ['categories_table', { id: 1, name: 'category' }],
  ['robots_table', { id: 1, name: 'robot' }],
  ['subcategories_table', { id: 1, name: 'subcategory', category_id: 1 }],
];

/** A full row of a table whose values differ with the number; references point to row 1. */
export function rowOf(table: Table, number: number): JsonObject {
  return Object.fromEntries(
    Object.entries(table.columns).map(([name, column]) => [name, valueFor(name, column, number)]),
  );
}

function valueFor(name: string, column: Column, number: number): JsonValue {
  if (column.references !== undefined) return 1;
  switch (column.kind) {
    case 'int':
      return column.key ? number : number * 3;
    case 'bool':
      return number % 2 === 0;
    case 'str':
      return column.key ? `key ${number}` : `${name} ${HOSTILE_TEXTS[number % HOSTILE_TEXTS.length]}`;
    case 'json':
      return HOSTILE_JSON[number % HOSTILE_JSON.length] ?? {};
  }
}

/** Only the columns a row cannot do without. */
export function leastRowOf(table: Table, number: number): JsonObject {
  const full = rowOf(table, number);
  const needed = Object.entries(table.columns)
    .filter(([, column]) => column.key || (!column.nullable && column.default === undefined))
    .map(([name]) => [name, full[name] ?? null]);
  return Object.fromEntries(needed) as JsonObject; // as: built from names and JSON values just above
}

export { TABLES };

/** The rows 1 to `count` of {@link rowOf}, in the order of their keys. */
export function rowsOf(table: Table, count: number): JsonObject[] {
  const rows = Array.from({ length: count }, (_, index) => rowOf(table, index + 1));
  return rows.sort((a, b) => ((a.id ?? 0) < (b.id ?? 0) ? -1 : 1));
}
