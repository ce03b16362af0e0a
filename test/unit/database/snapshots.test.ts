import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../../functions/database/clear-database.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { handler as listBackups } from '../../../functions/database/list-backups.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { handler as restoreBackup } from '../../../functions/database/restore-backup.handler.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { auditTrail } from '../../../functions/shared/ports.ts';
import { type DatabaseWorld, databaseWorld } from '../../support/database.ts';
import { PARENTS, TABLES } from '../../support/rows.ts';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-04-01T12:00:00Z');
let now = START;
let world: DatabaseWorld;
const other: DatabaseWorld[] = [];
beforeAll(() => {
  world = databaseWorld({}, () => now);
});
beforeEach(async () => {
  await world.ok(clearDatabase);
  for (const name of readdirSync(world.backupDir)) rmSync(join(world.backupDir, name), { recursive: true });
  now = START;
});
afterEach(async () => {
  await Promise.all(other.splice(0).map((one) => one.close()));
});
afterAll(() => world.close());

/** Another start of the service on the same data. */
function startAgain(settings: Record<string, string> = {}): DatabaseWorld {
  const next = databaseWorld({ HOME: dirname(world.config.SERVICE_DATA_DIR), ...settings }, () => now);
  other.push(next);
  return next;
}

const add = (tablename: string, item: JsonObject = {}) => world.ok(addItem, { body: { tablename, item } });
const read = (tablename: string) => world.ok(readTable, { query: { tablename } });
const clear = (tablename: string) => world.call(clearTable, { query: { tablename } });
const clearAll = () => world.call(clearDatabase);
const list = async (): Promise<Array<{ name: string; size: number }>> =>
  (await world.ok(listBackups, { as: 'ADMIN' })).backups;
const names = async () => (await list()).map(({ name }) => name);
const restore = (backup: string) => world.call(restoreBackup, { as: 'ENCHANTER', body: { backup } });
async function filled() {
  for (const [tablename, item] of PARENTS) await add(tablename, item);
}

describe('Clearing', () => {
  it('a table answers how many rows went and the name of the snapshot taken before', async () => {
    await add('robots_table', { name: 'a' });
    await add('robots_table', { name: 'b' });
    const { status, body } = await clear('robots_table');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        tablename: 'robots_table',
        deleted: 2,
        backup: 'snapshot-000001-20260401T120000Z.sqlite',
        undo: 'An ADMIN or ENCHANTER can undo this: POST database/restore/ with {"backup":"snapshot-000001-20260401T120000Z.sqlite"}.',
      },
    });
    expect(await read('robots_table')).toEqual([]);
    const snapshot = new Database(join(world.backupDir, body.backup), { readonly: true });
    expect(snapshot.prepare('select name from robots_table').pluck().all()).toEqual(['a', 'b']);
    snapshot.close();
  });

  it('everything answers the count of every table', async () => {
    await filled();
    const { body } = await clearAll();
    const counts = Object.fromEntries(
      TABLES.map(({ name }) => [name, PARENTS.some(([parent]) => parent === name) ? 1 : 0]),
    );
    expect(body).toEqual({
      deleted: counts,
      backup: expect.stringMatching(/^snapshot-000001-/),
      undo: expect.stringMatching(/^An ADMIN or ENCHANTER can undo this: .*snapshot-000001-/),
    });
    for (const { name } of TABLES) expect(await read(name)).toEqual([]);
  });

  it('what is empty takes no snapshot', async () => {
    expect((await clear('robots_table')).body).toEqual({
      tablename: 'robots_table',
      deleted: 0,
      backup: null,
      undo: null,
    });
    expect((await clearAll()).body).toMatchObject({ backup: null, undo: null });
    expect(await list()).toEqual([]);
  });

  it('a table whose rows others refer to is 409 with table and count, without a snapshot', async () => {
    await filled();
    await add('skills_table', { value: {}, description: {}, subcategory_id: 1 });
    const { status, body } = await clear('subcategories_table');
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('1 of skills_table');
    expect(await read('subcategories_table')).toHaveLength(1);
    expect(await list()).toEqual([]);
  });

  it.each(['prefetch', 'prefetch;prerender'])('everything is not done for Sec-Purpose: %s', async (purpose) => {
    await filled();
    const { invoke } = await import('../../support/invoke.ts');
    const headers = { authorization: 'Bearer USER', 'sec-purpose': purpose };
    expect(await invoke(clearDatabase, { ports: world.ports, headers })).toMatchObject({ status: 403 });
    expect(await read('robots_table')).toHaveLength(1);
  });
});

describe('The audit trail', () => {
  it('keeps who cleared, imported and restored, and how it ended', async () => {
    await filled();
    const { backup } = (await clearAll()).body;
    await clear('nothing_table');
    await restore(backup);
    await world.call(importTable, { body: { tablename: 'robots_table', path: 'missing.csv' } });
    const { entries } = await (await world.ports.get(auditTrail)).read({ limit: 4 });
    expect(entries.map(({ action, subject, outcome, client_id }) => ({ action, subject, outcome, client_id }))).toEqual(
      [
        {
          action: 'database.import',
          subject: { table: 'robots_table', path: 'missing.csv' },
          outcome: 'not_found',
          client_id: 'USER',
        },
        { action: 'database.restore', subject: { backup }, outcome: 'ok', client_id: 'ENCHANTER' },
        { action: 'database.clear', subject: { table: 'nothing_table' }, outcome: 'unknown_table', client_id: 'USER' },
        { action: 'database.clear', subject: { table: null }, outcome: 'ok', client_id: 'USER' },
      ],
    );
  });
});

describe('Snapshots', () => {
  it('are for ADMIN and ENCHANTER only, and a USER is told so', async () => {
    for (const handler of [listBackups, restoreBackup])
      expect(await world.call(handler, { body: { backup: 'x' } })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_access', detail: expect.stringMatching(/needs access level ENCHANTER or ADMIN/) },
      });
  });

  it('are single files that only their user can read', async () => {
    await filled();
    await clearAll();
    const [{ name = '', size = 0 } = {}] = await list();
    const stats = statSync(join(world.backupDir, name));
    expect({ mode: stats.mode & 0o777, size: stats.size }).toEqual({ mode: 0o600, size });
    expect(readdirSync(world.backupDir)).toEqual([name]);
  });

  it('are listed newest first, and nothing else that lies in the folder is', async () => {
    for (let n = 0; n < 3; n++) {
      await add('robots_table');
      await clear('robots_table');
      now -= DAY; // a clock that runs backwards must not turn the order round
    }
    writeFileSync(join(world.backupDir, 'notes.txt'), '');
    symlinkSync('/etc/passwd', join(world.backupDir, 'snapshot-000009-20260401T120000Z.sqlite'));
    mkdirSync(join(world.backupDir, 'snapshot-000010-20260401T120000Z.sqlite'));
    expect((await names()).map((name) => name.slice(0, 15))).toEqual([
      'snapshot-000003',
      'snapshot-000002',
      'snapshot-000001',
    ]);
  });

  it('older than seven days stay as long as they are among the newest ten', async () => {
    for (let n = 0; n < 12; n++) {
      await add('robots_table');
      await clear('robots_table');
    }
    expect(await list()).toHaveLength(12);
    now += 8 * DAY;
    await add('robots_table');
    await clear('robots_table');
    const kept = await names();
    expect(kept).toHaveLength(10);
    expect(kept.at(-1)).toMatch(/^snapshot-000004-/);
  });

  it('younger than seven days are never pushed out by a USER who clears in a loop: the clear is 507', async () => {
    await filled();
    await world.ok(clearDatabase);
    const [good] = await list();
    const room = (good?.size ?? 0) * 14;
    const loop = startAgain({ SERVICE_BACKUP_MAX_BYTES: String(room) });
    let full: Awaited<ReturnType<typeof clear>> | undefined;
    for (let n = 0; n < 20 && !full; n++) {
      await loop.ok(addItem, { body: { tablename: 'robots_table', item: { name: `loop ${n}` } } });
      const answer = await loop.call(clearTable, { query: { tablename: 'robots_table' } });
      if (answer.status !== 200) full = answer;
    }
    expect(full).toMatchObject({
      status: 507,
      body: { code: 'storage_full', detail: expect.stringContaining('SERVICE_BACKUP_MAX_BYTES') },
    });
    expect(await loop.ok(readTable, { query: { tablename: 'robots_table' } })).toHaveLength(1);
    const { backups } = await loop.ok(listBackups, { as: 'ADMIN' });
    expect(backups.at(-1)).toEqual(good);

    const restored = await loop.call(restoreBackup, { as: 'ADMIN', body: { backup: good?.name } });
    expect(restored).toMatchObject({ status: 200, body: { rows: { robots_table: 1, categories_table: 1 } } });
    now += 7 * DAY;
    expect(await loop.call(clearDatabase)).toMatchObject({ status: 200 });
  });
});

describe('Restoring', () => {
  it('puts every table back, after a snapshot of the present', async () => {
    await filled();
    const before = await Promise.all(TABLES.map(({ name }) => read(name)));
    const { backup } = (await clearAll()).body;
    await add('robots_table', { name: 'later' });
    const { status, body } = await restore(backup);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      restored: backup,
      backup: expect.stringMatching(/^snapshot-000002-/),
      rows: { robots_table: 1 },
    });
    expect(await Promise.all(TABLES.map(({ name }) => read(name)))).toEqual(before);
    expect(await restore(body.backup)).toMatchObject({ status: 200 });
    expect(await read('robots_table')).toMatchObject([{ name: 'later' }]);
  });

  it('does not give the ids again that were given since', async () => {
    await add('robots_table');
    const { backup } = (await clearAll()).body;
    await add('robots_table');
    const { id } = await add('robots_table');
    await restore(backup);
    expect((await add('robots_table')).id).toBe(id + 1);
    await world.ok(deleteItem, { body: { tablename: 'robots_table', item: { id: id + 1 } } });
  });

  it.each(['snapshot-000001-20260401T120000Z.sqlite', 'snapshot-999999-20260401T120000Z.sqlite'])(
    'of %s, which is not in the list, is 404',
    async (name) => {
      expect(await restore(name)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  it.each([
    '../robot.sqlite',
    '/etc/passwd',
    '',
    'robot.sqlite',
    'snapshot-000001-20260401T120000Z.sqlite/../x',
    'unfinished-restore.sqlite',
  ])('of %j, which is no name of a snapshot, is 422', async (name) => {
    expect(await restore(name)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('of a link put there under a fitting name is 404', async () => {
    await filled();
    await clearAll();
    const link = 'snapshot-000002-20260401T120000Z.sqlite';
    symlinkSync(world.file, join(world.backupDir, link));
    expect(await restore(link)).toMatchObject({ status: 404 });
  });

  it('of a newer schema is refused, and nothing changes', async () => {
    const backup = await tampered((snapshot) => snapshot.pragma('user_version = 99'));
    const { status, body } = await restore(backup);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('schema version 99');
    await unchanged();
  });

  it('of a database that is none of ours is refused', async () => {
    const backup = await tampered((snapshot) => {
      snapshot.exec('drop table tts_table');
      snapshot.pragma('user_version = 0');
    });
    expect(await restore(backup)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('tts_table') },
    });
    await unchanged();
  });

  it('of a damaged file is refused', async () => {
    const backup = await tampered((_snapshot, path) => {
      const bytes = readFileSync(path);
      bytes.fill(0xff, 4096 * 2, 4096 * 6);
      writeFileSync(path, bytes);
    });
    expect(await restore(backup)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('damaged') } });
    await unchanged();
  });

  it.each([
    ['a text', 'this is no database', 'damaged'],
    ['nothing', '', 'no database of this service'],
  ])('of a file that holds %s is refused', async (_what, content, why) => {
    const backup = await tampered(() => undefined);
    writeFileSync(join(world.backupDir, backup), content);
    const { status, body } = await restore(backup);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain(why);
    await unchanged();
  });

  it('leaves no copy behind', async () => {
    await filled();
    await restore((await clearAll()).body.backup);
    expect(readdirSync(world.backupDir).filter((name) => name.startsWith('unfinished'))).toEqual([]);
  });

  /** A snapshot that somebody has had their hands in, beside a database with one robot. */
  async function tampered(tamper: (snapshot: Database.Database, path: string) => void): Promise<string> {
    await filled();
    const { backup } = (await clearAll()).body;
    await add('robots_table', { name: 'present' });
    const path = join(world.backupDir, backup);
    const snapshot = new Database(path);
    tamper(snapshot, path);
    snapshot.close();
    return backup;
  }

  async function unchanged() {
    expect(await read('robots_table')).toMatchObject([{ name: 'present' }]);
    expect(await list()).toHaveLength(1);
  }
});

describe('A snapshot that a killed service left half written', () => {
  it('is cleared away at the next start, and is never listed', async () => {
    await filled();
    await clearAll();
    const { pid } = spawnSync('true');
    copyFileSync(world.file, join(world.backupDir, `unfinished-snapshot-${pid}.sqlite`));
    expect((await startAgain().ok(listBackups, { as: 'ADMIN' })).backups).toHaveLength(1);
    expect(readdirSync(world.backupDir)).toHaveLength(1);
  });

  it('stays while the service that writes it runs', async () => {
    await filled();
    const name = `unfinished-snapshot-${process.ppid}.sqlite`;
    copyFileSync(world.file, join(world.backupDir, name));
    expect((await startAgain().ok(listBackups, { as: 'ADMIN' })).backups).toEqual([]);
    expect(readdirSync(world.backupDir)).toEqual([name]);
  });
});
