import { describe, expect, it } from '@jest/globals';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as updateController } from '../../../functions/database/update-controller-config.handler.ts';
import { handler as updateItem } from '../../../functions/database/update-item.handler.ts';
import { added, readOne, update, useDatabase, world } from '../../support/database-rows.ts';

useDatabase();

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

  it('requires a new value, which may be null', async () => {
    const { id } = await added('robots_table', { name: 'r' });
    const body = { tablename: 'robots_table', item: { id }, attribute: 'name' };
    expect(await world.call(updateItem, { body })).toMatchObject({ status: 422 });
    expect(await update('robots_table', id, 'name', null)).toMatchObject({ status: 200, body: { id, name: null } });
  });

  it('answers 404 for a missing row and 409 for a reference to a missing row', async () => {
    expect(await update('robots_table', 4711, 'name', 'x')).toMatchObject({
      status: 404,
      body: { code: 'row_not_found' },
    });
    const { id } = await added('animations_table', {});
    const { status, body } = await update('animations_table', id, 'robot_id', 4711);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/1 dangling reference in animations_table: robot_id 4711/);
  });

  it('of one row by many clients at once answers all and keeps one of their values', async () => {
    const { id } = await added('robots_table', {});
    const names = Array.from({ length: 40 }, (_, number) => `client ${number}`);
    const answers = await Promise.all(names.map((name) => update('robots_table', id, 'name', name)));
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual(names.map((name) => [200, name]));
    const { body } = await readOne({ tablename: 'robots_table', item: { id } });
    expect(names).toContain(body.name);
  });
});

describe('Deleting', () => {
  it('answers the deleted row, and 404 the second time', async () => {
    const row = await added('robots_table', { name: 'gone' });
    const body = { tablename: 'robots_table', item: { id: row.id } };
    expect(await world.call(deleteItem, { body })).toMatchObject({ status: 200, body: row });
    expect(await world.call(deleteItem, { body })).toMatchObject({ status: 404, body: { code: 'row_not_found' } });
  });

  it('of a referenced row is 409 with table and count, without cascading', async () => {
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
