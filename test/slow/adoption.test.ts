import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SCHEMA_VERSION } from '../../functions/database/adapters/sqlite/migrate.ts';
import { openForWriting } from '../../functions/database/adapters/sqlite/opening.ts';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as clearTable } from '../../functions/database/clear-table.handler.ts';
import { handler as deleteItem } from '../../functions/database/delete-item.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import { handler as restoreBackup } from '../../functions/database/restore-backup.handler.ts';
import { closeDatabases, startDatabase } from '../support/database.ts';
import { databaseFile, definitionsIn, homeOfOtherProgram, inFile, startAt } from '../support/database-file.ts';
import { rowsOf, TABLES } from '../support/rows.ts';
import { sourcePath, startModule } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const ROWS = 30;
const tablename = 'robots_table';
const query = { tablename };

afterEach(closeDatabases);

const snapshotsOf = (home: string) => readdirSync(join(dirname(databaseFile(home)), 'backups'));
const sumOf = (home: string) =>
  createHash('sha256')
    .update(readFileSync(databaseFile(home)))
    .digest('hex');

describe('A database of another program with the fifteen tables', () => {
  it('is adopted with every row unchanged and every definition as in a new database', async () => {
    const home = homeOfOtherProgram(ROWS);
    const world = startDatabase(home);
    for (const table of TABLES) {
      const rows = await world.ok(readTable, { query: { tablename: table.name } });
      expect(rows).toEqual(rowsOf(table, ROWS));
    }
    expect(await world.ok(addItem, { body: { tablename, item: {} } })).toMatchObject({ id: ROWS + 1 });
    await world.close();
    const fresh = temporaryFolder();
    await startAt(fresh);
    expect(definitionsIn(home)).toEqual(definitionsIn(fresh));
  });

  it('is backed up first, and the log says what differed', async () => {
    const home = homeOfOtherProgram(
      3,
      `create table alembic_version (version_num varchar(32));
       create table meetings (id integer primary key, robot_id integer references robots_table, at datetime);
       alter table routes_table add column made datetime default '2026-04-01';
       create unique index by_label on known_runes_table (label);
       update animations_table set favorite = null;
       update tts_table set name = null where id = 1`,
    );
    const { log, problem } = await startAt(home);
    expect(problem).toBeUndefined();
    expect(log).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        msg: 'database without a schema version adopted',
        from: 0,
        to: SCHEMA_VERSION,
        snapshot: snapshotsOf(home)[0],
        adopted: {
          column_types: { VARCHAR: expect.any(Number), BOOLEAN: 10, JSON: 6 },
          tables_without_checks: expect.arrayContaining(TABLES.map(({ name }) => name)),
          nulls_filled: { 'animations_table.favorite': 3, 'tts_table.name': 1 },
          extra_columns: ['routes_table.made datetime'],
          extra_tables: ['alembic_version', 'meetings'],
          unique_constraints: [],
        },
      },
    ]);
    expect(await startAt(home)).toEqual({ log: [], problem: undefined });
  });

  it('keeps its other tables through clear and restore', async () => {
    const home = homeOfOtherProgram(
      3,
      `create table meetings (id integer primary key, robot_id integer references robots_table (id));
       insert into meetings values (1, 2), (2, 4711);
       alter table known_runes_table add column made text;
       update known_runes_table set made = 'by hand ' || id;
       create unique index by_label on known_runes_table (label);
       create view runes as select made from known_runes_table`,
    );
    const world = startDatabase(home);
    const refused = await world.call(deleteItem, { body: { tablename, item: { id: 2 } } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const taken = (await world.ok(readTable, { query: { tablename: 'known_runes_table' } }))[0].label;
    const twice = { tablename: 'known_runes_table', item: { id: 'twice', label: taken } };
    expect(await world.call(addItem, { body: twice })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('unique index') },
    });
    const all = await world.call(clearDatabase);
    expect(all).toMatchObject({ status: 409, body: { detail: expect.stringContaining('another program') } });
    expect(snapshotsOf(home)).toHaveLength(1); // that of the adoption: what was not cleared needs none
    const { backup } = await world.ok(clearTable, { query: { tablename: 'known_runes_table' } });
    await world.ok(restoreBackup, { as: 'ADMIN', body: { backup } });
    await world.close();
    inFile(home, (file) => {
      expect(file.prepare('select * from runes order by made').pluck().all()).toEqual([
        'by hand key 1',
        'by hand key 2',
        'by hand key 3',
      ]);
      expect(file.prepare('select robot_id from meetings').pluck().all()).toEqual([2, 4711]);
    });
  });

  it('is adopted once by three services that start together', async () => {
    const home = homeOfOtherProgram(3);
    const code = `
      import { startAt } from '${sourcePath('test/support/database-file.ts')}';
      process.stdout.write(JSON.stringify(await startAt('${home}')));`;
    const ended = await Promise.all([1, 2, 3].map(() => startModule(code).ended));
    const starts = ended.map(({ stdout }) => JSON.parse(stdout) as Awaited<ReturnType<typeof startAt>>);
    expect(starts.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(starts.flatMap(({ log }) => log)).toHaveLength(1);
    expect(snapshotsOf(home)).toHaveLength(1);
  });

  it('can be restored from its snapshot', async () => {
    const home = homeOfOtherProgram(3);
    const world = startDatabase(home);
    const before = await world.ok(readTable, { query });
    await world.ok(addItem, { body: { tablename, item: {} } });
    const [backup] = snapshotsOf(home);
    await world.ok(restoreBackup, { as: 'ADMIN', body: { backup } });
    expect(await world.ok(readTable, { query })).toEqual(before);
    expect(await world.ok(addItem, { body: { tablename, item: {} } })).toMatchObject({ id: 5 });
  });

  it('never reuses an id that SQLite has counted', async () => {
    const home = homeOfOtherProgram(
      3,
      `create table counted (id integer primary key autoincrement);
       insert into sqlite_sequence values ('robots_table', 41)`,
    );
    expect(await startDatabase(home).ok(addItem, { body: { tablename, item: {} } })).toMatchObject({ id: 42 });
  });

  it.each([
    ['a table is missing', 'drop table tts_table', 'tts_table is missing'],
    ['a table is a view', 'drop table tts_table; create view tts_table as select 1', 'tts_table is missing'],
    ['a column is missing', 'alter table robots_table drop column color', 'robots_table lacks color'],
    [
      'a column is generated',
      'alter table robots_table add column more as (id + 1)',
      'robots_table.more is a generated column',
    ],
    [
      'the key is another',
      `drop table known_locations_table; create table known_locations_table (id text, color text primary key)`,
      'the primary key of known_locations_table is not id',
    ],
    [
      'a trigger does something',
      'create trigger t after insert on robots_table begin delete from tts_table; end',
      'robots_table has a trigger, t',
    ],
    ['another table has our name', 'create table id_counters (id integer)', 'its id_counters is another table'],
    [
      'text stands for a number',
      "update grasping_table set couple_id = 'x' where id = 2",
      'grasping_table.couple_id of the row with id 2 is not a whole number',
    ],
    [
      'a number is too large',
      'update grasping_table set couple_id = 9007199254740992 where id = 3',
      'grasping_table.couple_id of the row with id 3',
    ],
    [
      'bytes stand for text',
      "update robots_table set name = x'00' where id = 1",
      'robots_table.name of the row with id 1 is not text',
    ],
    [
      'a boolean is neither',
      'update tts_table set local = 2 where id = 1',
      'tts_table.local of the row with id 1 is neither true nor false',
    ],
    [
      'a key is too long',
      "update robot_configuration_table set id = printf('%065d', 1) where id = 'key 1'",
      'robot_configuration_table.id of the row with id "000',
    ],
    [
      'JSON is none',
      "update skills_table set value = 'NaN' where id = 1",
      'skills_table.value of the row with id 1 is not JSON',
    ],
    [
      'JSON is infinite',
      'update skills_table set value = 9e999 where id = 1',
      'skills_table.value of the row with id 1 is not JSON',
    ],
    [
      'needed JSON is missing',
      'update skills_table set value = null where id = 1',
      'skills_table.value of the row with id 1 is not JSON',
    ],
    [
      'a reference dangles',
      'update tts_table set robot_id = 4711 where id > 1',
      'tts_table.robot_id of 2 rows refers to no row of robots_table; the first has id 2',
    ],
  ])('is left unchanged, with an error, when %s', async (_what, change, reason) => {
    const home = homeOfOtherProgram(3, change);
    const before = sumOf(home);
    const file = databaseFile(home);
    const opening = openForWriting(file, join(dirname(file), 'backups'), Date.now());
    await expect(opening).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining(`another program that do not fit (${reason}`),
    });
    expect(sumOf(home)).toBe(before);
    expect(snapshotsOf(home)).toEqual([]);
  });
});
