import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../../functions/database/clear-database.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { handler as restoreBackup } from '../../../functions/database/restore-backup.handler.ts';
import { closeDatabases, type DatabaseWorld, startDatabase } from '../../support/database.ts';
import { homeOfFirstRelease, inFile } from '../../support/database-file.ts';
import { leastRowOf, TABLES } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/world.ts';

const HIGHEST = Number.MAX_SAFE_INTEGER;
const LAST_COUNTED = 2 ** 31 - 1;
const tablename = 'robots_table';
const query = { tablename };
const NUMBERED = TABLES.filter(({ columns }) => columns.id?.kind === 'int');

afterEach(closeDatabases);

const add = async (world: DatabaseWorld, item: object = {}, table = tablename): Promise<number> =>
  (await world.ok(addItem, { body: { tablename: table, item } })).id;
const remove = (world: DatabaseWorld, id: number) => world.ok(deleteItem, { body: { tablename, item: { id } } });
const restore = (world: DatabaseWorld, backup: string) => world.ok(restoreBackup, { as: 'ADMIN', body: { backup } });
const outside = (world: DatabaseWorld, sql: string) => {
  const file = new Database(world.file);
  file.exec(sql);
  file.close();
};

describe('An id', () => {
  it('is assigned in every table although a row has the highest possible one', async () => {
    const world = startDatabase(temporaryFolder());
    for (const table of NUMBERED) {
      const { id: _id, ...item } = leastRowOf(table, 1);
      expect([table.name, await add(world, item, table.name)]).toEqual([table.name, 1]);
      expect(await add(world, { ...item, id: HIGHEST }, table.name)).toBe(HIGHEST);
      expect(await add(world, item, table.name)).toBe(2);
    }
  });

  it('beyond 2^31-1 sent by a client does not affect later ones', async () => {
    const home = temporaryFolder();
    let world = startDatabase(home);
    const given = [await add(world)];
    for (const id of [HIGHEST, LAST_COUNTED + 1]) expect(await add(world, { id })).toBe(id);
    given.push(await add(world));
    await remove(world, HIGHEST);
    given.push(await add(world));
    const { backup } = await world.ok(clearTable, { query });
    given.push(await add(world));
    await restore(world, backup);
    given.push(await add(world));
    await world.close();
    world = startDatabase(home);
    given.push(await add(world));
    mkdirSync(world.exportDir, { recursive: true });
    writeFileSync(join(world.exportDir, 'robots_table.csv'), `id,name\r\n${HIGHEST},a\r\n,b\r\n`);
    await world.ok(importTable, { body: query });
    given.push(await add(world));
    await world.ok(clearDatabase);
    given.push(await add(world));
    expect(given).toEqual([1, 2, 3, 4, 5, 6, 8, 9]); // 7 is b
  });

  it('up to 2^31-1 sent by a client is counted, and not reused after deletion', async () => {
    const world = startDatabase(temporaryFolder());
    await add(world, { id: 41 });
    await remove(world, 41);
    expect(await add(world)).toBe(42);
    await add(world, { id: LAST_COUNTED });
    await remove(world, LAST_COUNTED);
    expect(await add(world)).toBe(LAST_COUNTED + 1);
  });

  it('is also assigned beyond 2^31-1, in order, skipping taken ones', async () => {
    const home = temporaryFolder();
    let world = startDatabase(home);
    for (const offset of [0, 2, 3]) await add(world, { id: LAST_COUNTED + offset });
    expect([await add(world), await add(world)]).toEqual([LAST_COUNTED + 1, LAST_COUNTED + 4]);
    await remove(world, LAST_COUNTED + 4);
    await world.close();
    world = startDatabase(home);
    expect(await add(world)).toBe(LAST_COUNTED + 5);
  });

  it('is counted when another program adds the row, unless beyond 2^31-1', async () => {
    const world = startDatabase(temporaryFolder());
    await add(world);
    outside(world, 'insert into robots_table default values');
    outside(world, 'insert into robots_table (id) values (7); delete from robots_table where id = 7');
    expect(await add(world)).toBe(8);
    outside(world, `insert into robots_table (id) values (${HIGHEST})`);
    expect(await add(world)).toBe(9);
  });

  it('is also assigned to rows of other programs once the highest is gone', async () => {
    const world = startDatabase(temporaryFolder());
    await add(world);
    await add(world, { id: HIGHEST });
    await remove(world, HIGHEST);
    outside(world, 'insert into robots_table default values');
    expect(await add(world)).toBe(3);
    mkdirSync(world.exportDir, { recursive: true });
    writeFileSync(join(world.exportDir, 'robots_table.csv'), `id\r\n${HIGHEST}\r\n`);
    await world.ok(importTable, { body: query });
    await remove(world, HIGHEST);
    outside(world, 'insert into robots_table default values');
    expect(await add(world)).toBe(5);
  });

  it('assigned before a snapshot is not reused when only the snapshot is left', async () => {
    const home = temporaryFolder();
    const world = startDatabase(home);
    for (let n = 0; n < 3; n++) await add(world);
    for (const id of [2, 3]) await remove(world, id);
    const { backup } = await world.ok(clearTable, { query });
    await world.close();
    for (const end of ['', '-wal', '-shm']) rmSync(world.file + end, { force: true });
    const anew = startDatabase(home);
    await restore(anew, backup);
    outside(anew, 'insert into robots_table default values');
    expect(await add(anew)).toBe(5);
  });

  it('assigned after a snapshot is not reused when the snapshot is restored', async () => {
    const world = startDatabase(temporaryFolder());
    await add(world);
    const { backup } = await world.ok(clearTable, { query });
    for (const id of [2, 3]) expect(await add(world)).toBe(id);
    await restore(world, backup);
    expect(await add(world)).toBe(4);
    expect((await world.ok(readTable, { query })).map(({ id }: { id: number }) => id)).toEqual([1, 4]);
  });

  it('is reused by a database of the first release, which kept no count', async () => {
    const home = homeOfFirstRelease(3);
    inFile(home, (file) => {
      file.exec('delete from animations_table; delete from tts_table'); // they refer to robots
      file.exec(`insert into robots_table (id) values (${HIGHEST}); delete from robots_table where id > 3`);
      expect(() => file.exec('insert into robots_table default values')).toThrow('CHECK');
    });
    expect(await add(startDatabase(home))).toBe(4);
  });

  it('is not assigned twice by a copy of the data folder', async () => {
    const [home, copy] = [temporaryFolder(), temporaryFolder()];
    const world = startDatabase(home);
    await add(world, { id: 10 });
    await remove(world, 10);
    await world.close();
    cpSync(dirname(world.file), join(copy, '.robot-rest'), { recursive: true });
    expect(await add(startDatabase(copy))).toBe(11);
  });
});
