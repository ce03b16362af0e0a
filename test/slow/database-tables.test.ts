import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { PARENTS, rowOf, TABLES } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe.each(['v1', 'v2'])('Every table over %s', (version) => {
  beforeEach(async () => {
    await call('GET', 'clear_database');
    for (const [tablename, item] of PARENTS) await call('POST', 'database/add_item/', { tablename, item });
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s: what is added is read, changed, exported, cleared and imported as it was',
    async (tablename, table) => {
      const rows = [11, 12, 13].map((number) => rowOf(table, number));
      for (const item of rows) expect(await call('POST', 'database/add_item/', { tablename, item })).toEqual(item);
      expect((await read(tablename)).slice(-3)).toEqual(rows);

      const [first = {}, second = {}] = rows;
      const id = first.id ?? null;
      expect(await readItem(tablename, id)).toEqual(first);
      const changed = { ...first };
      for (const column of Object.keys(table.columns).filter((name) => name !== 'id')) {
        const body = { tablename, item: { id }, attribute: column, new_value: second[column] ?? null };
        changed[column] = second[column] ?? null;
        expect(await call('PUT', 'database/update_item/', body)).toEqual(changed);
      }
      expect(await call('DELETE', 'database/delete_item/', { tablename, item: { id } })).toEqual(changed);

      const kept = await read(tablename);
      const everything = await readAll();
      const exported = await call('POST', 'database/export_table/', { tablename, path: `${version}/${tablename}.csv` });
      expect(exported).toEqual({ tablename, path: `${version}/${tablename}.csv`, rows: kept.length });
      await call('POST', 'database/export_table/', { path: version });
      const cleared = await call('GET', 'clear_database');
      expect(cleared.deleted).toMatchObject({ [tablename]: kept.length });
      expect(await read(tablename)).toEqual([]);

      for (const [parent, item] of PARENTS) await call('POST', 'database/add_item/', { tablename: parent, item });
      const imported = await call('POST', 'database/import_table/', { tablename, path: `${version}/${tablename}.csv` });
      expect(imported).toEqual(exported);
      expect(await read(tablename)).toEqual(kept);

      await call('GET', 'clear_database');
      const all = await call('POST', 'database/import_table/', { path: version });
      expect(all).toHaveLength(TABLES.length);
      expect(await readAll()).toEqual(everything);
    },
  );

  async function call(method: string, path: string, body?: unknown) {
    const answer = await service.as('USER', `/api/${version}/${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  const read = (tablename: string): Promise<JsonObject[]> => call('GET', `database/read/?tablename=${tablename}`);

  async function readAll() {
    return Object.fromEntries(await Promise.all(TABLES.map(async ({ name }) => [name, await read(name)] as const)));
  }

  function readItem(tablename: string, id: unknown) {
    return call('GET', `database/read_item/?data=${encodeURIComponent(JSON.stringify({ tablename, item: { id } }))}`);
  }
});
