import { KEY } from '../column.ts';
import { TABLES } from '../tables.ts';
import type { Session } from './session.ts';

/** Ids that others choose move the counter up to here; beyond, the numbers are the service's own to give. */
const COUNTED_UP_TO = 2 ** 31 - 1;

const NUMBERED: ReadonlySet<string> = new Set(
  TABLES.filter(({ columns }) => columns[KEY]?.kind === 'int').map(({ name }) => name),
);

/** Whether the rows of a table are given an id when they come without. */
export function isNumbered(table: string): boolean {
  return NUMBERED.has(table);
}

/**
 * The next id of a table, which is never given again. Ids that somebody else has chosen are passed over. To be called
 * inside the transaction that adds the row: what is rolled back has not been given.
 */
export function giveId(session: Session, table: string): number {
  const last = session.prepare('select last from id_counters where tablename = ?').pluck().get(table);
  const next = Number(last ?? 0) + 1;
  const id = isTaken(session, table, next) ? firstFreeAfter(session, table, next) : next;
  session
    .prepare('insert into id_counters values (?, ?) on conflict do update set last = excluded.last')
    .run(table, id);
  return id;
}

function isTaken(session: Session, table: string, id: number): boolean {
  return session.prepare(`select 1 from ${table} where id = ?`).get(id) !== undefined;
}

function firstFreeAfter(session: Session, table: string, taken: number): number {
  const gap = session.prepare(
    `select id + 1 from ${table} t where id >= ?
      and not exists (select 1 from ${table} n where n.id = t.id + 1) order by id limit 1`,
  );
  return Number(gap.pluck().get(taken));
}

/** Whether this id, chosen by somebody else, leaves SQLite's own counter further up than ours. */
export function isUncounted(id: unknown): boolean {
  return typeof id === 'number' && id > COUNTED_UP_TO;
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
