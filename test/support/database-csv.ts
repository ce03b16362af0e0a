import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { type DatabaseWorld, databaseWorld } from './database.ts';

export let world: DatabaseWorld;

export const read = (tablename: string) => world.ok(readTable, { query: { tablename } });

export const add = (tablename: string, item: JsonObject) => world.ok(addItem, { body: { tablename, item } });

export const importing = (tablename: string, path = '') => world.call(importTable, { body: { tablename, path } });

export const exporting = (tablename: string, path = '') => world.call(exportTable, { body: { tablename, path } });

export const csv = (name: string, text: string | Buffer) => writeFileSync(join(world.exportDir, name), text);

export const csvOf = (name: string) => readFileSync(join(world.exportDir, name), 'utf8');

/** One database for all tests of a file, empty before each. */
export function useCsvDatabase(): void {
  beforeAll(async () => {
    world = databaseWorld({ SERVICE_BACKUP_MAX_BYTES: String(64 * 1024 ** 3) });
    await world.ok(readTable, { query: { tablename: 'robots_table' } });
    mkdirSync(world.exportDir, { recursive: true });
  });
  beforeEach(async () => {
    await world.ok(clearDatabase);
  });
  afterAll(() => world.close());
}
