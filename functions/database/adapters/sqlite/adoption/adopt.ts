import type { Column } from '../../../column.ts';
import { TABLES } from '../../../tables.ts';
import { quoted, rebuilt } from '../migrations/rebuild.ts';
import type { Session } from '../session.ts';
import { type Definition, definitionsIn, releaseSchema } from './release-schema.ts';

/**
 * The statements that make a database of this release out of one that fits and does not say whose it is: one that
 * another program has made, or a dump, which forgets the version. Every table is rebuilt with our definitions.
 */
export function adoption(session: Session): string[] {
  const ours = releaseSchema();
  const theirs = new Map(definitionsIn(session).map((definition) => [definition.name, definition]));
  if (ours.every(({ name, sql }) => theirs.get(name)?.sql === sql)) return [];
  return [
    ...counters(session, ours, theirs),
    ...TABLES.flatMap(({ name, columns }) => {
      const { sql } = definitionOf(ours, name);
      return rebuilt(session, {
        table: name,
        create: (other) => sql.replace(`TABLE ${quoted(name)}`, `TABLE ${quoted(other)}`),
        columns: new Map(Object.entries(columns).map(([column, it]) => [column, kept(it, quoted(column))])),
      });
    }),
    ...ours.filter(({ type, name }) => type !== 'table' && !theirs.has(name)).map(({ sql }) => sql),
    'delete from sqlite_sequence where name in (select tablename from id_counters)',
    'insert into sqlite_sequence (name, seq) select tablename, last from id_counters where last > 0',
  ];
}

/** The counters go on from the highest id that is known to have been given. */
function counters(session: Session, ours: readonly Definition[], theirs: ReadonlyMap<string, Definition>): string[] {
  const sequences = session.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get() !== undefined;
  return [
    ...(theirs.has('id_counters') ? [] : [definitionOf(ours, 'id_counters').sql]),
    ...TABLES.filter(({ columns }) => columns.id?.kind === 'int').map(({ name }) => {
      const given = sequences
        ? `(select max(seq) from sqlite_sequence where name = '${name}' and seq <= 2147483647)`
        : 0;
      return `insert into id_counters select '${name}', max(0,
        coalesce((select max(id) from ${name} where id <= 2147483647), 0), coalesce(${given}, 0)) where true
        on conflict do update set last = max(last, excluded.last)`;
    }),
  ];
}

/**
 * The expression that takes a cell over: a missing value becomes the default. A number in a column of the type JSON
 * becomes its text by itself, all digits of it, since ours are strict.
 */
function kept({ kind, nullable, default: otherwise }: Column, cell: string): string {
  if (nullable || otherwise === undefined) return cell;
  return `coalesce(${cell}, ${literal(kind === 'json' ? JSON.stringify(otherwise) : otherwise)})`;
}

function literal(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : `'${String(value).replaceAll("'", "''")}'`;
}

function definitionOf(definitions: readonly Definition[], name: string): Definition {
  const found = definitions.find((definition) => definition.name === name);
  if (!found) throw new Error(`${name} is not defined`);
  return found;
}
