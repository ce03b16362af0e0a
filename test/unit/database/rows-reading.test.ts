import { beforeAll, describe, expect, it } from '@jest/globals';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { added, readOne, useDatabase, world } from '../../support/database-rows.ts';

useDatabase();

const read = (tablename: string, page = {}) => world.ok(readTable, { query: { tablename, ...page } });

describe('Reading', () => {
  beforeAll(async () => {
    for (let id = 1; id <= 5; id++) await added('customized_prompts_table', { id: id + 100, order: id });
  });

  it.each([
    [{}, undefined],
    [{ limit: '2' }, 2],
    [{ limit: '0' }, 0],
  ])('%j answers rows in key order and the total in X-Total-Count', async (page, length) => {
    const all = (await read('customized_prompts_table')) as Array<{ id: number }>;
    const { headers, body } = await world.call(readTable, {
      query: { tablename: 'customized_prompts_table', ...page },
    });
    expect(headers['x-total-count']).toBe(String(all.length));
    expect(body).toEqual(all.slice(0, length ?? all.length));
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
  });

  it('skips rows, even beyond the end', async () => {
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

  it('requires the table', async () => {
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

  it('answers 404 for a missing row', async () => {
    expect(await readOne({ tablename: 'robots_table', item: { id: 4711 } })).toMatchObject({
      status: 404,
      body: { code: 'row_not_found' },
    });
  });
});
