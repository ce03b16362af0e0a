import { type Fault, ServiceError } from '../shared/errors.ts';
import { exactJson } from '../shared/kit/exact-json.ts';
import { type JsonObject, jsonPointer } from '../shared/kit/json.ts';
import { invalid } from '../shared/pipeline/parse-input.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { KEY, mayBeAbsent, type RowKey, type StoredRow } from './column.ts';
import { findTable, type Table } from './tables.ts';
import { toStored, toWire } from './value.ts';

export type Item = Readonly<Record<string, unknown>>;

/** Where the item is in the request: a JSON pointer to it, or the one place that holds all of it. */
export type Place = '' | '/item' | '/new_value' | 'query:data';

/** The table of this name. Error: unknown_table. */
export function tableNamed(name: string): Table {
  const table = findTable(name);
  if (table) return table;
  throw new ServiceError('unknown_table', {
    detail: `The database has no table ${JSON.stringify(name.slice(0, 64))}. The API description at /docs lists the tables.`,
  });
}

/** The given columns in the form they are kept in. Error: validation_failed, naming every column that does not fit. */
export function storable(table: Table, item: Item, place: Place): StoredRow {
  const faults: Fault[] = [];
  const row: Record<string, StoredRow[string]> = {};
  for (const [name, value] of Object.entries(item)) {
    const column = Object.hasOwn(table.columns, name) ? table.columns[name] : undefined;
    const checked = column ? toStored(column, value) : { reason: `is no column of ${table.name}` };
    if ('value' in checked) row[name] = checked.value;
    else faults.push(faultAt(place, name, checked.reason));
  }
  if (faults.length > 0) throw invalid(faults);
  return row;
}

/** A whole row to add, defaults filled in. Error: validation_failed, also naming required columns that are missing. */
export function newRow(table: Table, item: Item): StoredRow {
  const row = storable(table, item, '/item');
  const missing = Object.entries(table.columns)
    .filter(([name, column]) => !Object.hasOwn(row, name) && !mayBeAbsent(column))
    .map(([name]) => faultAt('/item', name, 'is required'));
  if (missing.length > 0) throw invalid(missing);
  return row;
}

/** The key in an item; its other columns must fit, and say nothing. Error: validation_failed. */
export function keyOf(table: Table, item: Item, place: Place): RowKey {
  const key = storable(table, item, place)[KEY];
  if (key === undefined || key === null) throw invalid([faultAt(place, KEY, 'is required: it identifies the row')]);
  return key;
}

/** A kept row as it goes over the wire, its columns in the order of the table. */
export function presented(table: Table, row: StoredRow): JsonObject {
  return Object.fromEntries(
    Object.entries(table.columns).map(([name, column]) => [name, toWire(column, row[name] ?? null)]),
  );
}

/** A row as an answer. Doubles in its JSON stay doubles: a row that was read may be written again. */
export function rowReply(row: JsonObject): Reply {
  return new Reply(exactJson(row), { 'content-type': 'application/json' });
}

/** Longest text and most columns that the audit trail keeps. */
const MAX_CHARACTERS = 64;
const MAX_COLUMNS = 32;

/** What the audit trail keeps of a change: where, and never a value but the key. */
export function rowNote(
  { tablename, item }: { readonly tablename: string; readonly item: Item },
  columns?: readonly string[],
): JsonObject {
  const key = item[KEY];
  return {
    table: tablename.slice(0, MAX_CHARACTERS),
    key: typeof key === 'string' ? key.slice(0, MAX_CHARACTERS) : typeof key === 'number' ? key : null,
    ...(columns ? { columns: columns.slice(0, MAX_COLUMNS).map((name) => name.slice(0, MAX_CHARACTERS)) } : {}),
  };
}

/** Error: row_not_found. */
export function found(table: Table, key: RowKey, row: StoredRow | undefined): JsonObject {
  if (row) return presented(table, row);
  throw new ServiceError('row_not_found', { detail: `${table.name} has no row with ${KEY} ${JSON.stringify(key)}.` });
}

function faultAt(place: Place, column: string, reason: string): Fault {
  const whole = place === 'query:data' || place === '/new_value';
  const pointer = whole ? place : `${place}${jsonPointer([column])}`;
  return { pointer, message: `${JSON.stringify(column.slice(0, 64))} ${reason}.` };
}
