import { TABLES } from '../../../tables.ts';
import { columnsOf, quoted } from '../migrations/rebuild.ts';
import type { Session } from '../session.ts';
import { definitionsIn, releaseSchema } from './release-schema.ts';

/** How a database that was adopted differed from one that this release makes. */
export interface Differences {
  /** Declared types that are not ours, with how many columns have them. */
  readonly column_types: Readonly<Record<string, number>>;
  /** Tables that took values which they should not have. */
  readonly tables_without_checks: readonly string[];
  /** Columns in which NULL was replaced by the default, with how many cells. */
  readonly nulls_filled: Readonly<Record<string, number>>;
  /** Kept, and left out of every answer. */
  readonly extra_columns: readonly string[];
  /** Left as they are. */
  readonly extra_tables: readonly string[];
  /** UNIQUE constraints, which are not kept. */
  readonly unique_constraints: readonly string[];
}

export function differencesOf(session: Session): Differences {
  const ours = releaseSchema();
  const theirs = definitionsIn(session);
  const checksIn = (definitions: typeof ours, table: string) =>
    (definitions.find(({ name }) => name === table)?.sql.match(/\bcheck\b|\bstrict\b/gi) ?? []).length;
  const columns = TABLES.flatMap((table) =>
    columnsOf(session, table.name).map((column) => ({ ...column, table, described: table.columns[column.name] })),
  );
  const kept = columns.filter(({ described }) => described !== undefined);
  return {
    column_types: counted(
      kept
        .map(({ type, described }) => ({ type: type.toUpperCase(), kind: described?.kind }))
        .filter(({ type, kind }) => type !== (kind === 'int' || kind === 'bool' ? 'INTEGER' : 'TEXT'))
        .map(({ type }) => type),
    ),
    tables_without_checks: TABLES.map(({ name }) => name).filter(
      (name) => checksIn(theirs, name) < checksIn(ours, name),
    ),
    nulls_filled: Object.fromEntries(
      kept
        .filter(({ described }) => described && !described.nullable && described.default !== undefined)
        .map(({ table, name }) => [`${table.name}.${name}`, nullsIn(session, table.name, name)] as const)
        .filter(([, count]) => count > 0),
    ),
    extra_columns: columns
      .filter(({ described }) => described === undefined)
      .map(({ table, name, type }) => `${table.name}.${name} ${type}`.trimEnd()),
    extra_tables: theirs
      .filter(({ type, name }) => type === 'table' && !ours.some((our) => our.name === name))
      .map(({ name }) => name),
    unique_constraints: TABLES.map(({ name }) => name).filter((name) => hasUniqueConstraint(session, name)),
  };
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function nullsIn(session: Session, table: string, column: string): number {
  const { n } = session.prepare(`select count(*) as n from ${table} where ${quoted(column)} is null`).get() as {
    n: number;
  }; // as: the column of the select
  return n;
}

function hasUniqueConstraint(session: Session, table: string): boolean {
  const indexes = session.database.pragma(`index_list(${quoted(table)})`) as Array<{ origin: string }>; // as: a column of this pragma
  return indexes.some(({ origin }) => origin === 'u');
}
