import type { Session } from '../session.ts';
import { quoted, rebuilt } from './rebuild.ts';

const TABLES = {
  gamepad_config_table: {
    columns: ['id', 'name', 'value', 'prompt_name', 'config'],
    definition: `("id" integer primary key autoincrement check ("id" between -9007199254740991 and 9007199254740991), "name" text not null, "value" text not null, "prompt_name" text not null, "config" text check ("config" is null or json_valid("config"))) strict`,
  },
  robot_configuration_table: {
    columns: ['id', 'value'],
    definition: `("id" text not null primary key check (length(id) <= 64), "value" text check ("value" is null or json_valid("value"))) strict, without rowid`,
  },
};

/**
 * `json_valid(NULL)` is NULL in newer SQLites, which passes a check, and 0 in older ones, such as 3.40.1 of Debian 12:
 * with these, other programs could neither add a row without JSON nor load a dump that has one.
 */
export function jsonOrNull(session: Session): string[] {
  return Object.entries(TABLES).flatMap(([table, { columns, definition }]) =>
    rebuilt(session, {
      table,
      create: (name) => `create table ${quoted(name)} ${definition}`,
      columns: new Map(columns.map((column) => [column, quoted(column)])),
    }),
  );
}
