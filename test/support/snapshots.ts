import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as clearTable } from '../../functions/database/clear-table.handler.ts';
import { handler as listBackups } from '../../functions/database/list-backups.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import { handler as restoreBackup } from '../../functions/database/restore-backup.handler.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { type DatabaseWorld, databaseWorld } from './database.ts';
import { PARENTS } from './rows.ts';

const START = Date.parse('2026-04-01T12:00:00Z');

/** The clock of the database; a test may set it. */
export const clock = { now: START };

export let world: DatabaseWorld;

const restarted: DatabaseWorld[] = [];

/** The service started again on the same data, until the test ends. */
export function startAgain(settings: Record<string, string> = {}): DatabaseWorld {
  const next = databaseWorld({ HOME: dirname(world.config.SERVICE_DATA_DIR), ...settings }, () => clock.now);
  restarted.push(next);
  return next;
}

export const add = (tablename: string, item: JsonObject = {}) => world.ok(addItem, { body: { tablename, item } });

export const read = (tablename: string) => world.ok(readTable, { query: { tablename } });

export const clear = (tablename: string) => world.call(clearTable, { query: { tablename } });

export const clearAll = () => world.call(clearDatabase);

export const list = async (): Promise<Array<{ name: string; size: number }>> =>
  (await world.ok(listBackups, { as: 'ADMIN' })).backups;

export const restore = (backup: string) => world.call(restoreBackup, { as: 'ENCHANTER', body: { backup } });

/** One row in each table that others refer to. */
export async function filled() {
  for (const [tablename, item] of PARENTS) await add(tablename, item);
}

/** One database for all tests of a file, empty and without snapshots before each. */
export function useSnapshots(): void {
  beforeAll(() => {
    world = databaseWorld({}, () => clock.now);
  });
  beforeEach(async () => {
    await world.ok(clearDatabase);
    for (const name of readdirSync(world.backupDir)) rmSync(join(world.backupDir, name), { recursive: true });
    clock.now = START;
  });
  afterEach(async () => {
    await Promise.all(restarted.splice(0).map((one) => one.close()));
  });
  afterAll(() => world.close());
}
