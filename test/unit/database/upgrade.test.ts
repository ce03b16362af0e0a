import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SCHEMA_VERSION } from '../../../functions/database/adapters/sqlite/migrate.ts';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { closeDatabases, startDatabase } from '../../support/database.ts';
import {
  columnsIn,
  databaseFile,
  definitionsIn,
  homeOfFirstRelease,
  inFile,
  startAt,
} from '../../support/database-file.ts';
import { rowsOf, TABLES } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/world.ts';

const ROWS = 30;
afterEach(closeDatabases);

describe('A database of the first release', () => {
  it('keeps every row and gets the definitions of a new one', async () => {
    const home = homeOfFirstRelease(ROWS);
    const first = inFile(home, (file) => new Map(TABLES.map(({ name }) => [name, columnsIn(file, name)])));
    const world = startDatabase(home);
    for (const table of TABLES) {
      const rows = await world.ok(readTable, { query: { tablename: table.name } });
      const kept = (column: string, value: unknown) => (first.get(table.name)?.includes(column) ? value : null);
      expect(rows).toEqual(
        rowsOf(table, ROWS).map((row) =>
          Object.fromEntries(Object.entries(row).map(([column, value]) => [column, kept(column, value)])),
        ),
      );
    }
    await world.close();
    const fresh = temporaryFolder();
    await startDatabase(fresh).ok(readTable, { query: { tablename: 'robots_table' } });
    expect(definitionsIn(home)).toEqual(definitionsIn(fresh));
  });

  it('keeps additions to a table that is rebuilt', async () => {
    const home = homeOfFirstRelease(ROWS);
    inFile(home, (file) => {
      file.exec(`
        alter table gamepad_config_table add column made text default 'by hand';
        update gamepad_config_table set made = 'on ' || id where id > 1;
        create index pads_by_name on gamepad_config_table (name);
        create trigger no_pad_called_x before insert on gamepad_config_table when new.name = 'x'
          begin select raise(abort, 'no'); end;
        create view pads as select name from gamepad_config_table`);
    });
    await startDatabase(home).ok(readTable, { query: { tablename: 'gamepad_config_table' } });
    const made = inFile(home, (file) =>
      file.prepare('select made from gamepad_config_table order by id').pluck().all(),
    );
    expect(made).toEqual(['by hand', ...Array.from({ length: ROWS - 1 }, (_, n) => `on ${n + 2}`)]);
    expect(Object.keys(definitionsIn(home))).toEqual(
      expect.arrayContaining(['pads_by_name', 'no_pad_called_x', 'pads']),
    );
  });

  it('does not reuse the id of a deleted row', async () => {
    const home = homeOfFirstRelease(ROWS);
    inFile(home, (file) => file.exec('delete from gamepad_config_table'));
    const item = { name: 'pad', value: '', prompt_name: '' };
    const world = startDatabase(home);
    const body = { tablename: 'gamepad_config_table', item };
    expect(await world.ok(addItem, { body })).toMatchObject({ id: ROWS + 1 });
    await world.ok(deleteItem, { body: { ...body, item: { id: ROWS + 1 } } });
    expect(await world.ok(addItem, { body })).toMatchObject({ id: ROWS + 2 });
  });
});

describe('Before a migration', () => {
  it('a snapshot is written, and named in the log afterwards', async () => {
    const home = homeOfFirstRelease(ROWS);
    const { log } = await startAt(home);
    const [snapshot = '', ...others] = snapshotsOf(home);
    expect(others).toEqual([]);
    expect(log).toMatchObject([
      { level: 'info', from: 1, to: SCHEMA_VERSION, snapshot, msg: 'database migrated to a newer schema' },
    ]);
    const file = new Database(join(backupsOf(home), snapshot), { readonly: true });
    expect(file.pragma('user_version', { simple: true })).toBe(1);
    for (const { name } of TABLES) expect(file.prepare(`select count(*) from ${name}`).pluck().get()).toBe(ROWS);
    file.close();
    expect(await startAt(home)).toEqual({ log: [], problem: undefined });
    expect(snapshotsOf(home)).toEqual([snapshot]);
  });

  it('no snapshot of a newly created file is written', async () => {
    const home = temporaryFolder();
    expect(await startAt(home)).toEqual({ log: [], problem: undefined });
    expect(snapshotsOf(home)).toEqual([]);
  });

  it('that is killed repeatedly, only one snapshot is written', async () => {
    const home = homeOfFirstRelease(ROWS);
    const before = readFileSync(databaseFile(home));
    for (let n = 0; n < 3; n++) {
      writeFileSync(databaseFile(home), before);
      await startAt(home);
    }
    expect(snapshotsOf(home)).toHaveLength(1);
    writeFileSync(databaseFile(home), before);
    inFile(home, (file) => file.exec("update robots_table set name = 'changed'"));
    await startAt(home);
    expect(snapshotsOf(home)).toHaveLength(2);
  });

  it('that fails, no snapshot remains and the file is unchanged', async () => {
    const home = homeOfFirstRelease(ROWS);
    inFile(home, (file) => file.exec('create table id_counters (something text)'));
    const before = readFileSync(databaseFile(home));
    expect((await startAt(home)).problem).toContain('does not open');
    expect(snapshotsOf(home)).toEqual([]);
    expect(readFileSync(databaseFile(home)).equals(before)).toBe(true);
  });
});

describe('A database written by a newer release', () => {
  it('is reported with the snapshot to restore and working instructions', async () => {
    const home = homeOfFirstRelease(ROWS);
    await startAt(home);
    const [snapshot = ''] = snapshotsOf(home);
    const newer = 'snapshot-000002-20260401T120000Z.sqlite';
    inFile(home, (file) => file.pragma('user_version = 99'));
    cpSync(databaseFile(home), join(backupsOf(home), newer));

    const { log, problem = '' } = await startAt(home);
    expect(problem).toContain(
      `schema version 99, this release knows up to ${SCHEMA_VERSION}: install the release that wrote it`,
    );
    expect(problem).toContain(
      `move robot.sqlite, robot.sqlite-wal and robot.sqlite-shm away, and copy backups/${snapshot} to its place as robot.sqlite`,
    );
    expect(problem).toContain(`${newer} (schema version 99), ${snapshot} (schema version 1)`);
    expect(problem).not.toContain(home);
    expect(log).toMatchObject([{ level: 'error', msg: problem }]);

    for (const end of ['', '-wal', '-shm']) rmSync(databaseFile(home) + end, { force: true });
    cpSync(join(backupsOf(home), snapshot), databaseFile(home));
    const world = startDatabase(home);
    expect(await world.ok(readTable, { query: { tablename: 'robots_table' } })).toHaveLength(ROWS);
  });

  it('is reported without instructions where there is no snapshot', async () => {
    const home = temporaryFolder();
    await startAt(home);
    inFile(home, (file) => file.pragma('user_version = 99'));
    expect((await startAt(home)).problem).toMatch(/There is no snapshot to go back to\.$/);
    cpSync(databaseFile(home), join(backupsOf(home), 'snapshot-000001-20260401T120000Z.sqlite'));
    expect((await startAt(home)).problem).toMatch(/\(schema version 99\)\. None fits this release\.$/);
  });
});

const backupsOf = (home: string) => join(dirname(databaseFile(home)), 'backups');
const snapshotsOf = (home: string) => readdirSync(backupsOf(home));
