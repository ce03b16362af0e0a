import type { Session } from '../session.ts';

const NUMBERED = [
  'categories_table',
  'robots_table',
  'subcategories_table',
  'animations_table',
  'customized_prompts_table',
  'gamepad_config_table',
  'grasping_table',
  'navigation_table',
  'runes_table',
  'skills_table',
  'tts_table',
];

/**
 * A counter of our own for the ids that are given: SQLite's follows every id that somebody sends, and one row with the
 * highest id there is ends it for good. Ids beyond 2^31-1 do not move this one. Triggers keep it, so that it holds
 * whichever program writes.
 */
export function idCounters(_session: Session): string[] {
  return [
    `create table "id_counters" ("tablename" text not null primary key, "last" integer not null check ("last" between 0 and 9007199254740991)) strict, without rowid`,
    ...NUMBERED.flatMap((table) => [
      `insert into id_counters select '${table}', max(0,
        coalesce((select max(id) from ${table} where id <= 2147483647), 0),
        coalesce((select max(seq) from sqlite_sequence where name = '${table}' and seq <= 2147483647), 0))`,
      `create trigger "${table}_counts" after insert on "${table}" when new."id" between 1 and 2147483647 begin update id_counters set last = new."id" where tablename = '${table}' and last < new."id"; end`,
    ]),
    'delete from sqlite_sequence where name in (select tablename from id_counters)',
    'insert into sqlite_sequence (name, seq) select tablename, last from id_counters where last > 0',
  ];
}
