import { afterAll, beforeAll } from '@jest/globals';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as readItem } from '../../functions/database/read-item.handler.ts';
import { handler as updateItem } from '../../functions/database/update-item.handler.ts';
import { type DatabaseWorld, databaseWorld } from './database.ts';

export let world: DatabaseWorld;

export const added = async (tablename: string, item: object) =>
  (await world.ok(addItem, { body: { tablename, item } })) as { id: number };

export const readOne = (data: unknown) =>
  world.call(readItem, { query: { data: typeof data === 'string' ? data : JSON.stringify(data) } });

export const update = (tablename: string, id: unknown, attribute: string, new_value: unknown) =>
  world.call(updateItem, { body: { tablename, item: { id }, attribute, new_value } });

/** One database for all tests of a file. */
export function useDatabase(): void {
  beforeAll(() => {
    world = databaseWorld();
  });
  afterAll(() => world.close());
}
