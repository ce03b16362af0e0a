import { KEY } from '../../column.ts';
import { TABLES, type TableName } from '../../tables.ts';
import type { Session } from './session.ts';

/** Ids chosen by clients advance the counter up to here; higher ones do not. */
const MAX_COUNTED_ID = 2 ** 31 - 1;

const NUMBERED: ReadonlySet<string> = new Set(
  TABLES.filter(({ columns }) => columns[KEY]?.kind === 'int').map(({ name }) => name),
);

/** Whether the rows of a table are given an id when they come without. */
export function isNumbered(table: TableName): boolean {
  return NUMBERED.has(table);
}

/**
 * The next id of a table, which is never given again. Ids that clients have chosen are skipped. To be called
 * inside the transaction that adds the row: what is rolled back has not been given.
 */
export function giveId(session: Session, table: TableName): number {
  const last = session.prepare('select last from id_counters where tablename = ?').pluck().get(table);
  const next = Number(last ?? 0) + 1;
  const id = isTaken(session, table, next) ? firstFreeAfter(session, table, next) : next;
  session
    .prepare('insert into id_counters values (?, ?) on conflict do update set last = excluded.last')
    .run(table, id);
  return id;
}

function isTaken(session: Session, table: TableName, id: number): boolean {
  return session.prepare(`select 1 from ${table} where id = ?`).get(id) !== undefined;
}

function firstFreeAfter(session: Session, table: TableName, taken: number): number {
  const gap = session.prepare(
    `select id + 1 from ${table} t where id >= ?
      and not exists (select 1 from ${table} n where n.id = t.id + 1) order by id limit 1`,
  );
  return Number(gap.pluck().get(taken));
}

/** Whether this id, chosen by a client, puts SQLite's own counter ahead of ours. */
export function isUncounted(id: unknown): boolean {
  return typeof id === 'number' && id > MAX_COUNTED_ID;
}

/** Sets SQLite's own counters, by which other programs are given ids, to ours. */
export function alignSequences(session: Session): void {
  for (const statement of [
    'delete from main.sqlite_sequence where name in (select tablename from main.id_counters)',
    'insert into main.sqlite_sequence (name, seq) select tablename, last from main.id_counters where last > 0',
  ])
    session.prepare(statement).run();
}

/** An id that was given once is not given again, whichever of the two databases gave it. */
export function keepCounting(session: Session, from: string): void {
  session
    .prepare(
      `insert into main.id_counters select tablename, last from ${from}.id_counters where true
        on conflict do update set last = max(last, excluded.last)`,
    )
    .run();
  alignSequences(session);
}
