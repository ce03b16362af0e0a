import { describe, expect, it } from '@jest/globals';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as exportTable } from '../../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { added, readOne, update, useDatabase, world } from '../../support/database-rows.ts';
import { leastRowOf, TABLES } from '../../support/rows.ts';

useDatabase();

const add = (tablename: string, item: object) => world.call(addItem, { body: { tablename, item } });

describe('Adding a row', () => {
  it.each([
    ['known_locations_table', { id: 'a' }, { id: 'a', color: '#2196f3' }],
    ['routes_table', { id: 'a' }, { id: 'a', color: '#9c27b0', visible: true }],
    ['tts_table', { id: 1 }, { name: {}, sentences: {}, local: false, favorite: false, type: null, robot_id: null }],
    [
      'runes_table',
      { id: 1 },
      { simple_click: 'Nothing.', double_click: 'Nothing.', long_press: 'Nothing.', name: null },
    ],
    ['subcategories_table', { id: 1 }, { local: false, category_id: null }],
    ['customized_prompts_table', {}, { selected: false, order: null }],
    ['skills_table', { value: [], description: {} }, { swapable: false, favorite: false, value: [], description: {} }],
  ])('%s fills omitted columns with the default of the specification, or null', async (tablename, item, expected) => {
    expect(await added(tablename, item)).toMatchObject(expected);
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s needs only its required columns',
    async (tablename, table) => {
      expect(await add(tablename, leastRowOf(table, 77))).toMatchObject({ status: 200 });
    },
  );

  it.each([
    ['gamepad_config_table', { name: 'a', value: 'b' }, '/item/prompt_name'],
    ['skills_table', { value: {} }, '/item/description'],
    ['skills_table', { value: null, description: {} }, '/item/value'],
    ['known_runes_table', { label: 'no key' }, '/item/id'],
    ['categories_table', { id: null }, '/item/id'],
    ['categories_table', { id: '1' }, '/item/id'],
    ['categories_table', { id: 1.5 }, '/item/id'],
    ['categories_table', { id: true }, '/item/id'],
    ['categories_table', { name: 5 }, '/item/name'],
    ['categories_table', { name: 'a\0b' }, '/item/name'],
    ['categories_table', { name: '\ud800' }, '/item/name'],
    ['categories_table', { unknown: 1 }, '/item/unknown'],
    ['categories_table', { constructor: 1 }, '/item/constructor'],
    ['categories_table', { Name: 'case matters' }, '/item/Name'],
    ['customized_prompts_table', { selected: 1 }, '/item/selected'],
    ['customized_prompts_table', { selected: null }, '/item/selected'],
    ['customized_prompts_table', { order: 2 ** 53 }, '/item/order'],
    ['known_locations_table', { id: 'x', color: null }, '/item/color'],
    ['robot_configuration_table', { id: 'x'.repeat(65) }, '/item/id'],
    ['robot_configuration_table', { id: 'x', value: { deep: '\udc00' } }, '/item/value'],
    ['robot_configuration_table', { id: 'x', value: { 'k\0': 1 } }, '/item/value'],
    ['robot_configuration_table', { id: 'x', value: [2 ** 53] }, '/item/value/0'],
  ])('%s refuses %j and names %s', async (tablename, item, pointer) => {
    const { status, body } = await add(tablename, item);
    expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
      status: 422,
      code: 'validation_failed',
      pointer,
    });
  });

  it('accepts a key of 64 characters, counted in code points', async () => {
    expect(await add('robot_configuration_table', { id: '🤖'.repeat(64) })).toMatchObject({ status: 200 });
  });

  it('refuses a number beyond a double, and nesting beyond 64', async () => {
    const item = '{"tablename":"robot_configuration_table","item":{"id":"x","value":V}}';
    for (const value of ['1e999', '['.repeat(63) + ']'.repeat(63)])
      expect(await world.call(addItem, { body: item.replace('V', value) })).toMatchObject({ status: 422 });
  });

  it('answers 409 for a duplicate key', async () => {
    await added('known_runes_table', { id: 'taken' });
    const { status, body } = await add('known_runes_table', { id: 'taken' });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'already_exists' });
    const { id } = await added('robots_table', {});
    expect(await add('robots_table', { id })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  it('answers 409 naming table and column for a reference to a missing row', async () => {
    const { status, body } = await add('animations_table', { robot_id: 4711, subcategory_id: 4712 });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/^2 dangling references in animations_table: subcategory_id 4712 .*robot_id 4711/);
  });

  it('treats couple_id as a plain integer', async () => {
    expect(await added('grasping_table', { couple_id: 4711 })).toMatchObject({ couple_id: 4711 });
  });

  it('never assigns an id twice', async () => {
    const { id } = await added('animations_table', {});
    await world.ok(deleteItem, { body: { tablename: 'animations_table', item: { id } } });
    expect((await added('animations_table', {})).id).toBe(id + 1);
    await world.ok(clearTable, { query: { tablename: 'animations_table' } });
    expect((await added('animations_table', {})).id).toBe(id + 2);
  });

  it('keeps minus zero as the integer it is', async () => {
    const answer = await world.call(addItem, { body: '{"tablename":"categories_table","item":{"id":-0}}' });
    expect(answer).toMatchObject({ status: 200, body: { id: 0 } });
  });
});

describe.each([
  'nothing_table',
  '',
  'sqlite_schema',
  'sqlite_sequence',
  'ROBOTS_TABLE',
  'main.robots_table',
  '__proto__',
  'toString',
])('The table %j', (tablename) => {
  it('is 404 on every route that takes a table', async () => {
    const item = { id: 1 };
    const answers = await Promise.all([
      world.call(readTable, { query: { tablename } }),
      readOne({ tablename, item }),
      world.call(addItem, { body: { tablename, item } }),
      world.call(deleteItem, { body: { tablename, item } }),
      update(tablename, 1, 'name', 'x'),
      world.call(clearTable, { query: { tablename } }),
      ...(tablename === ''
        ? []
        : [exportTable, importTable].map((handler) => world.call(handler, { body: { tablename } }))),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'unknown_table' } });
  });
});
