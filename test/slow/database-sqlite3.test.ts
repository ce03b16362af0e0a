import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as deleteItem } from '../../functions/database/delete-item.handler.ts';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import { describeWith } from '../support/components.ts';
import { type DatabaseWorld, databaseWorld } from '../support/database.ts';
import { databaseFile, definitionsIn, homeOfFirstRelease, inFile, startAt } from '../support/database-file.ts';
import { PARENTS, rowOf, TABLES } from '../support/rows.ts';
import { temporaryFolder } from '../support/world.ts';

const SQLITE3 = '/usr/bin/sqlite3';

/** The command line of another SQLite, of another age than the one the service carries. */
function sqlite3(file: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(SQLITE3, ['-batch', file, ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

describeWith('sqlite3', SQLITE3, 'The sqlite3 command line', () => {
  let world: DatabaseWorld;
  beforeAll(async () => {
    world = databaseWorld();
    mkdirSync(world.exportDir, { recursive: true });
    for (const [tablename, item] of PARENTS) await world.ok(addItem, { body: { tablename, item } });
    for (const table of TABLES)
      for (let n = 50; n < 80; n++) await world.ok(addItem, { body: { tablename: table.name, item: rowOf(table, n) } });
  });
  afterAll(() => world.close());

  const readAll = () => Promise.all(TABLES.map(({ name }) => world.ok(readTable, { query: { tablename: name } })));

  it('opens the file while the service uses it, passes the integrity check and shows the specified columns', () => {
    expect(sqlite3(world.file, 'pragma integrity_check')).toBe('ok\n');
    for (const { name, columns } of TABLES) {
      const shown = sqlite3(world.file, `select name from pragma_table_info('${name}')`).trim().split('\n');
      expect([name, ...shown]).toEqual([name, ...Object.keys(columns)]);
    }
  });

  it('writes a dump from which the service adopts every row', async () => {
    const before = await readAll();
    const { id } = await world.ok(addItem, { body: { tablename: 'robots_table', item: { id: 900 } } });
    await world.ok(deleteItem, { body: { tablename: 'robots_table', item: { id } } });
    const home = temporaryFolder();
    mkdirSync(dirname(databaseFile(home)), { recursive: true });
    const dump = sqlite3(world.file, '.dump');
    expect(spawnSync(SQLITE3, ['-bail', databaseFile(home)], { input: dump, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const restored = databaseWorld({ HOME: home });
    try {
      const tables = TABLES.map(({ name }) => restored.ok(readTable, { query: { tablename: name } }));
      expect(await Promise.all(tables)).toEqual(before);
      expect(await restored.ok(addItem, { body: { tablename: 'robots_table', item: {} } })).toMatchObject({ id: 901 });
    } finally {
      await restored.close();
    }
    expect(definitionsIn(home)).toEqual(definitionsIn(dirname(dirname(world.file))));
  });

  it('writes a dump of a first-release database, which the service adopts too', async () => {
    const old = homeOfFirstRelease(3);
    const home = temporaryFolder();
    mkdirSync(dirname(databaseFile(home)), { recursive: true });
    // Its checks refuse rows without JSON where json_valid(NULL) is 0.
    inFile(old, (file) => file.exec('delete from gamepad_config_table where config is null'));
    spawnSync(SQLITE3, [databaseFile(home)], { input: sqlite3(databaseFile(old), '.dump') });
    expect((await startAt(home)).problem).toBeUndefined();
    expect(definitionsIn(home)).toEqual(definitionsIn(dirname(dirname(world.file))));
  });

  it('adds rows without JSON', () => {
    const copy = join(temporaryFolder(), 'copy.sqlite');
    sqlite3(world.file, `vacuum into '${copy}'`);
    sqlite3(copy, "insert into gamepad_config_table (name, value, prompt_name) values ('a', 'b', 'c')");
    sqlite3(copy, "insert into robot_configuration_table (id) values ('without value')");
    expect(sqlite3(copy, 'select config from gamepad_config_table order by id desc limit 1')).toBe('\n');
    expect(spawnSync(SQLITE3, [copy, "insert into robot_configuration_table values ('x', '{')"]).status).not.toBe(0);
  });

  it('exports CSV from which the service imports every table unchanged', async () => {
    const before = await readAll();
    for (const { name } of TABLES)
      writeFileSync(
        join(world.exportDir, `${name}.csv`),
        sqlite3(world.file, '-csv', '-header', `select * from ${name}`),
      );
    await world.ok(clearDatabase);
    await world.ok(importTable, { body: {} });
    expect(await readAll()).toEqual(before);
  });

  it("imports the service's CSV with every field unchanged", async () => {
    await world.ok(exportTable, { body: { path: 'ours' } });
    const copy = join(temporaryFolder(), 'copy.sqlite');
    for (const [index, { name, columns }] of TABLES.entries()) {
      sqlite3(copy, `.import --csv "${join(world.exportDir, 'ours', `${name}.csv`)}" ${name}`);
      const theirs = JSON.parse(sqlite3(copy, '-json', `select * from ${name}`));
      const expected = (await readAll())[index].map((row: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(columns).map(([column, { kind }]) => [column, asField(kind, row[column])])),
      );
      expect(theirs).toEqual(expected);
    }
  });

  /** It takes NULL for the empty text: its CSV has no NULL. */
  function asField(kind: string, value: unknown): string {
    if (value === null) return '';
    return kind === 'json' ? JSON.stringify(value) : String(value);
  }
});
