import type { Session } from '../session.ts';

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  /** An SQL expression. */
  readonly dflt_value: string | null;
  readonly notnull: 0 | 1;
  /** Place in the primary key, 0 outside of it. */
  readonly pk: number;
  /** Not 0: generated, or hidden. */
  readonly hidden: number;
}

interface Rebuilding {
  readonly table: string;
  /** The CREATE TABLE statement, for a table of this name. */
  readonly create: (name: string) => string;
  /** The columns it makes, each with the expression that fills it from the old row. */
  readonly columns: ReadonlyMap<string, string>;
}

/**
 * The statements that give a table another definition, as https://sqlite.org/lang_altertable.html (section 7) has it: a
 * new table is filled, and takes the place of the old one. Columns, indexes and triggers that somebody has added are
 * kept, and so is the highest id. To be run in one transaction, with `foreign_keys` off and `legacy_alter_table` on.
 */
export function rebuilt(session: Session, { table, create, columns }: Rebuilding): string[] {
  const rebuilding = `rebuilt_${table}`;
  const added = columnsOf(session, table).filter(({ name, hidden }) => hidden === 0 && !columns.has(name));
  const filled = new Map([...columns, ...added.map(({ name }) => [name, quoted(name)] as const)]);
  return [
    create(rebuilding),
    ...added.map(({ name, dflt_value: otherwise }) => {
      const defaulted = otherwise === null ? '' : ` default (${otherwise})`;
      return `alter table ${quoted(rebuilding)} add column ${quoted(name)} any${defaulted}`;
    }),
    `insert into ${quoted(rebuilding)} (${[...filled.keys()].map(quoted).join(', ')})
      select ${[...filled.values()].join(', ')} from ${quoted(table)}`,
    ...(countsUp(session, table) ? keepCount(table, rebuilding) : []),
    `drop table ${quoted(table)}`,
    `alter table ${quoted(rebuilding)} rename to ${quoted(table)}`,
    ...definitionsOn(session, table),
  ];
}

export function columnsOf(session: Session, table: string): ColumnInfo[] {
  return session.database.pragma(`table_xinfo(${quoted(table)})`) as ColumnInfo[]; // as: the columns of this pragma
}

/** An identifier as SQL has it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether SQLite remembers the highest id that the table has had. */
function countsUp(session: Session, table: string): boolean {
  const found = session.prepare('select sql from sqlite_schema where name = ?').get(table) as { sql: string }; // as: the table is there
  return /\bautoincrement\b/i.test(found.sql);
}

function keepCount(from: string, to: string): string[] {
  return [
    `delete from sqlite_sequence where name = '${to}'`,
    `insert into sqlite_sequence (name, seq) select '${to}', seq from sqlite_sequence where name = '${from}'`,
  ];
}

/** The indexes and triggers of a table, those apart that its own definition makes. */
function definitionsOn(session: Session, table: string): string[] {
  const found = session
    .prepare("select sql from sqlite_schema where tbl_name = ? and type in ('index', 'trigger') and sql is not null")
    .all(table) as Array<{ sql: string }>; // as: the column of the select
  return found.map(({ sql }) => sql);
}
