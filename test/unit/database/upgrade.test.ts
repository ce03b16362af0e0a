import { afterEach, describe, expect, it } from '@jest/globals';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { type DatabaseWorld, databaseWorld } from '../../support/database.ts';
import { definitionsIn, homeOfFirstRelease, inFile } from '../../support/database-file.ts';
import { rowOf, TABLES } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/world.ts';

const ROWS = 30;
const worlds: DatabaseWorld[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

function start(home: string): DatabaseWorld {
  const world = databaseWorld({ HOME: home });
  worlds.push(world);
  return world;
}

describe('A database of the first release', () => {
  it('has every row as it was, and the definitions of a new one', async () => {
    const home = homeOfFirstRelease(ROWS);
    const world = start(home);
    for (const table of TABLES) {
      const rows = await world.ok(readTable, { query: { tablename: table.name } });
      const expected = Array.from({ length: ROWS }, (_, n) => rowOf(table, n + 1));
      expect(rows).toEqual(expected.sort((a, b) => ((a.id ?? 0) < (b.id ?? 0) ? -1 : 1)));
    }
    await world.close();
    const fresh = temporaryFolder();
    await start(fresh).ok(readTable, { query: { tablename: 'robots_table' } });
    expect(definitionsIn(home)).toEqual(definitionsIn(fresh));
  });

  it('keeps what somebody has added to a table that is rebuilt', async () => {
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
    await start(home).ok(readTable, { query: { tablename: 'gamepad_config_table' } });
    const made = inFile(home, (file) =>
      file.prepare('select made from gamepad_config_table order by id').pluck().all(),
    );
    expect(made).toEqual(['by hand', ...Array.from({ length: ROWS - 1 }, (_, n) => `on ${n + 2}`)]);
    expect(Object.keys(definitionsIn(home))).toEqual(
      expect.arrayContaining(['pads_by_name', 'no_pad_called_x', 'pads']),
    );
  });

  it('does not give the id again of a row that was deleted before', async () => {
    const home = homeOfFirstRelease(ROWS);
    inFile(home, (file) => file.exec('delete from gamepad_config_table'));
    const item = { name: 'pad', value: '', prompt_name: '' };
    const world = start(home);
    const body = { tablename: 'gamepad_config_table', item };
    expect(await world.ok(addItem, { body })).toMatchObject({ id: ROWS + 1 });
    await world.ok(deleteItem, { body: { ...body, item: { id: ROWS + 1 } } });
    expect(await world.ok(addItem, { body })).toMatchObject({ id: ROWS + 2 });
  });
});
