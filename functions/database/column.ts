import type { JsonValue } from '../shared/kit/json.ts';

export type ColumnKind = 'int' | 'str' | 'bool' | 'json';
/** The tables that others refer to. */
type ReferredTable = 'categories_table' | 'robots_table' | 'subcategories_table';

/** What a column takes and gives on the wire (specification, section 2.4). */
export interface Column {
  readonly kind: ColumnKind;
  /** The primary key. An integer key is given when absent, and never twice. */
  readonly key: boolean;
  readonly nullable: boolean;
  /** What an absent value becomes. Without one, absent is null, or refused where null is. */
  readonly default?: JsonValue;
  /** Table whose `id` a value must exist as. */
  readonly references?: ReferredTable;
  /** Most characters (code points) of a string. */
  readonly maxLength?: number;
}

/** Every table's primary key. */
export const KEY = 'id';

/** A value as SQLite keeps it: booleans are 0 and 1, JSON is its text. */
export type StoredValue = string | number | null;
export type StoredRow = Readonly<Record<string, StoredValue>>;
export type RowKey = string | number;

const nullable = <const K extends ColumnKind>(kind: K) => ({ kind, key: false, nullable: true }) as const;

export const intKey = { kind: 'int', key: true, nullable: false } as const;
export const strKey = { kind: 'str', key: true, nullable: false } as const;
export const int = nullable('int');
export const str = nullable('str');
export const json = nullable('json');
/** A boolean that is false unless said otherwise. */
export const bool = { kind: 'bool', key: false, nullable: false, default: false } as const;

export const reference = (table: ReferredTable) => ({ ...int, references: table });
export const required = <const C extends Column>(column: C) => ({ ...column, nullable: false }) as const;
export const withDefault = <const C extends Column>(column: C, value: JsonValue) =>
  ({ ...column, nullable: false, default: value }) as const;

/** Whether a row may be added without saying anything of this column. */
export function mayBeAbsent(column: Column): boolean {
  return column.nullable || column.default !== undefined || (column.key && column.kind === 'int');
}
