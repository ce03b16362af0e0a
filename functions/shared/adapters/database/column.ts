import type { JsonValue } from '../../json.ts';
import type { RobotSchema } from './tables.ts';

export type TableName = keyof RobotSchema;
export type ColumnKind = 'int' | 'str' | 'bool' | 'json';

/** What a column takes and gives on the wire (specification, section 2.4). */
export interface Column {
  readonly kind: ColumnKind;
  /** The primary key. An integer key is given when absent, and never twice. */
  readonly key: boolean;
  readonly nullable: boolean;
  /** What an absent value becomes. Without one, absent is null, or refused where null is. */
  readonly default?: JsonValue;
  /** Table whose `id` a value must exist as. */
  readonly references?: TableName;
  /** Most characters (code points) of a string. */
  readonly maxLength?: number;
}

/** A table as the wire, the CSV files, the database and the OpenAPI document all see it. */
export interface Table {
  readonly name: TableName;
  readonly columns: Readonly<Record<string, Column>>;
}

/** Every table's primary key. */
export const KEY = 'id';

/** A value as SQLite keeps it: booleans are 0 and 1, JSON is its text. */
export type StoredValue = string | number | null;
export type StoredRow = Readonly<Record<string, StoredValue>>;
export type RowKey = string | number;

/** A boolean as SQLite keeps it. */
export type Bit = 0 | 1;
/** A JSON value as SQLite keeps it. */
export type JsonText = string;

const nullable = (kind: ColumnKind): Column => ({ kind, key: false, nullable: true });

export const intKey: Column = { kind: 'int', key: true, nullable: false };
export const strKey: Column = { kind: 'str', key: true, nullable: false };
export const int: Column = nullable('int');
export const str: Column = nullable('str');
export const json: Column = nullable('json');
/** A boolean that is false unless said otherwise. */
export const bool: Column = { kind: 'bool', key: false, nullable: false, default: false };

export const reference = (table: TableName): Column => ({ ...int, references: table });
export const required = (column: Column): Column => ({ ...column, nullable: false });
export const withDefault = (column: Column, value: JsonValue): Column => ({
  ...column,
  nullable: false,
  default: value,
});

/** Describes a table; the columns must be those of its row type, no more and no fewer. */
export function table<Row>(name: TableName, columns: Readonly<Record<keyof Row & string, Column>>): Table {
  return { name, columns };
}

/** Whether a row may be added without saying anything of this column. */
export function mayBeAbsent(column: Column): boolean {
  return column.nullable || column.default !== undefined || (column.key && column.kind === 'int');
}
