import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as exportTable } from '../../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { handler as readItem } from '../../../functions/database/read-item.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { handler as updateController } from '../../../functions/database/update-controller-config.handler.ts';
import { handler as updateItem } from '../../../functions/database/update-item.handler.ts';
import { type DatabaseWorld, databaseWorld } from '../../support/database.ts';
import { leastRowOf, TABLES } from '../../support/rows.ts';

let world: DatabaseWorld;
beforeAll(() => {
  world = databaseWorld();
});
afterAll(() => world.close());

const add = (tablename: string, item: object) => world.call(addItem, { body: { tablename, item } });
const added = async (tablename: string, item: object) =>
  (await world.ok(addItem, { body: { tablename, item } })) as { id: number };
const read = (tablename: string, page = {}) => world.ok(readTable, { query: { tablename, ...page } });
const readOne = (data: unknown) =>
  world.call(readItem, { query: { data: typeof data === 'string' ? data : JSON.stringify(data) } });
const update = (tablename: string, id: unknown, attribute: string, new_value: unknown) =>
  world.call(updateItem, { body: { tablename, item: { id }, attribute, new_value } });

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
  ])('%s takes what is left out from the specification: its default, or null', async (tablename, item, expected) => {
    expect(await added(tablename, item)).toMatchObject(expected);
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s needs no more than its required columns',
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

  it('takes a key of 64 characters, counted as people do', async () => {
    expect(await add('robot_configuration_table', { id: '🤖'.repeat(64) })).toMatchObject({ status: 200 });
  });

  it('refuses a number beyond a double, and nesting beyond 64', async () => {
    const item = '{"tablename":"robot_configuration_table","item":{"id":"x","value":V}}';
    for (const value of ['1e999', '['.repeat(63) + ']'.repeat(63)])
      expect(await world.call(addItem, { body: item.replace('V', value) })).toMatchObject({ status: 422 });
  });

  it('answers 409 for a key that is taken', async () => {
    await added('known_runes_table', { id: 'taken' });
    const { status, body } = await add('known_runes_table', { id: 'taken' });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'already_exists' });
    const { id } = await added('robots_table', {});
    expect(await add('robots_table', { id })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  it('answers 409 with table and column for a reference to no row', async () => {
    const { status, body } = await add('animations_table', { robot_id: 4711, subcategory_id: 4712 });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/^2 dangling references in animations_table: subcategory_id 4712 .*robot_id 4711/);
  });

  it('takes couple_id for the plain integer it is', async () => {
    expect(await added('grasping_table', { couple_id: 4711 })).toMatchObject({ couple_id: 4711 });
  });

  it('never gives an id twice', async () => {
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

describe('Reading', () => {
  beforeAll(async () => {
    for (let id = 1; id <= 5; id++) await added('customized_prompts_table', { id: id + 100, order: id });
  });

  it.each([
    [{}, undefined],
    [{ limit: '2' }, 2],
    [{ limit: '0' }, 0],
  ])(
    '%j answers rows in the order of their keys, and the rows of the whole table in X-Total-Count',
    async (page, length) => {
      const all = (await read('customized_prompts_table')) as Array<{ id: number }>;
      const { headers, body } = await world.call(readTable, {
        query: { tablename: 'customized_prompts_table', ...page },
      });
      expect(headers['x-total-count']).toBe(String(all.length));
      expect(body).toEqual(all.slice(0, length ?? all.length));
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
    },
  );

  it('skips rows, also beyond the end', async () => {
    const all = (await read('customized_prompts_table')) as unknown[];
    expect(await read('customized_prompts_table', { offset: '3' })).toEqual(all.slice(3));
    expect(await read('customized_prompts_table', { offset: '1', limit: '2' })).toEqual(all.slice(1, 3));
    expect(await read('customized_prompts_table', { offset: '1000000' })).toEqual([]);
  });

  it.each([{ limit: '-1' }, { limit: 'x' }, { limit: '1.5' }, { offset: '' }, { limit: '1,2' }, { page: '1' }])(
    'refuses %j',
    async (page) => {
      const query = { tablename: 'robots_table', ...(page as Record<string, string>) };
      expect(await world.call(readTable, { query })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed' },
      });
    },
  );

  it('needs to be told the table', async () => {
    const { status, body } = await world.call(readTable);
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 422, pointer: 'query:tablename' });
  });

  it.each([
    ['not JSON', '{"tablename"'],
    ['no object', '[]'],
    ['an unknown member', { tablename: 'robots_table', item: { id: 1 }, more: 1 }],
    ['no item', { tablename: 'robots_table' }],
    ['no id', { tablename: 'robots_table', item: {} }],
    ['an id of the wrong type', { tablename: 'robots_table', item: { id: '1' } }],
    ['a null id', { tablename: 'robots_table', item: { id: null } }],
    ['an unknown column', { tablename: 'robots_table', item: { id: 1, wheels: 4 } }],
    ['a polluting member', '{"tablename":"robots_table","item":{"id":1,"__proto__":{}}}'],
    ['a number beyond a double', '{"tablename":"robots_table","item":{"id":1e999}}'],
    ['deep nesting', `{"tablename":"robots_table","item":{"id":${'['.repeat(70)}${']'.repeat(70)}}}`],
  ])('answers 422 at query:data when `data` has %s', async (_what, data) => {
    const { status, body } = await readOne(data);
    expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
      status: 422,
      code: 'validation_failed',
      pointer: 'query:data',
    });
  });

  it('answers 404 for a row that is not there', async () => {
    expect(await readOne({ tablename: 'robots_table', item: { id: 4711 } })).toMatchObject({
      status: 404,
      body: { code: 'row_not_found' },
    });
  });
});

describe('Updating', () => {
  it.each([
    ['id', 5, '/attribute'],
    ['wheels', 4, '/attribute'],
    ['__proto__', 4, '/attribute'],
    ['toString', 4, '/attribute'],
    ['name', 4, '/new_value'],
  ])('%s to %j is refused at %s', async (attribute, value, pointer) => {
    const { id } = await added('robots_table', {});
    const { status, body } = await update('robots_table', id, attribute, value);
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 422, pointer });
  });

  it('needs a new value, for which null will do', async () => {
    const { id } = await added('robots_table', { name: 'r' });
    const body = { tablename: 'robots_table', item: { id }, attribute: 'name' };
    expect(await world.call(updateItem, { body })).toMatchObject({ status: 422 });
    expect(await update('robots_table', id, 'name', null)).toMatchObject({ status: 200, body: { id, name: null } });
  });

  it('answers 404 for a row that is not there and 409 for a reference to no row', async () => {
    expect(await update('robots_table', 4711, 'name', 'x')).toMatchObject({
      status: 404,
      body: { code: 'row_not_found' },
    });
    const { id } = await added('animations_table', {});
    const { status, body } = await update('animations_table', id, 'robot_id', 4711);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/1 dangling reference in animations_table: robot_id 4711/);
  });

  it('of one row by many clients at once answers every one, and leaves one of their values', async () => {
    const { id } = await added('robots_table', {});
    const names = Array.from({ length: 40 }, (_, number) => `client ${number}`);
    const answers = await Promise.all(names.map((name) => update('robots_table', id, 'name', name)));
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual(names.map((name) => [200, name]));
    const { body } = await readOne({ tablename: 'robots_table', item: { id } });
    expect(names).toContain(body.name);
  });
});

describe('Deleting', () => {
  it('answers the row as it was, and 404 the second time', async () => {
    const row = await added('robots_table', { name: 'gone' });
    const body = { tablename: 'robots_table', item: { id: row.id } };
    expect(await world.call(deleteItem, { body })).toMatchObject({ status: 200, body: row });
    expect(await world.call(deleteItem, { body })).toMatchObject({ status: 404, body: { code: 'row_not_found' } });
  });

  it('of a row that others refer to is 409 with table and count, and nothing cascades', async () => {
    const { id } = await added('robots_table', {});
    for (let n = 0; n < 3; n++) await added('animations_table', { robot_id: id });
    await added('tts_table', { robot_id: id });
    const { status, body } = await world.call(deleteItem, { body: { tablename: 'robots_table', item: { id } } });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('3 of animations_table, 1 of tts_table');
    expect(await readOne({ tablename: 'robots_table', item: { id } })).toMatchObject({ status: 200 });
  });
});

describe('A controller configuration', () => {
  const config = [{ touch: ' A ', simpleClick: ['wave'], doubleClick: [] }];

  it('sets name, prompt_name and config, and leaves value', async () => {
    const { id } = await added('gamepad_config_table', { name: 'old', value: 'kept', prompt_name: 'old' });
    const body = { id, name: ' new ', prompt_name: 'p', config };
    const expected = { id, name: 'new', value: 'kept', prompt_name: 'p', config: [{ ...config[0], touch: 'A' }] };
    expect(await world.ok(updateController, { body })).toEqual(expected);
  });

  it.each([
    [{ id: 4711, name: 'n', prompt_name: '', config: [] }, 404, 'row_not_found'],
    [{ id: '1', name: 'n', prompt_name: '', config: [] }, 422, 'validation_failed'],
    [{ id: 1, name: '  ', prompt_name: '', config: [] }, 422, 'validation_failed'],
    [{ id: 1, name: 'n', prompt_name: '\0', config: [] }, 422, 'validation_failed'],
    [
      { id: 1, name: 'n', prompt_name: '', config: [{ touch: '', simpleClick: [], doubleClick: [] }] },
      422,
      'validation_failed',
    ],
    [{ id: 1, name: 'n', prompt_name: '', config: [{ touch: 'A', simpleClick: [] }] }, 422, 'validation_failed'],
    [{ id: 1, name: 'n', prompt_name: '', config: {}, value: 'x' }, 422, 'validation_failed'],
  ])('%j is %d %s', async (body, status, code) => {
    expect(await world.call(updateController, { body })).toMatchObject({ status, body: { code } });
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
  it('is 404 wherever a table is named', async () => {
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
