import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as deleteItem } from '../../../functions/database/delete-item.handler.ts';
import { TABLES } from '../../support/rows.ts';
import { add, clearAll, filled, list, read, restore, useSnapshots, world } from '../../support/snapshots.ts';

useSnapshots();

describe('Restoring', () => {
  it('restores every table, after a snapshot of the present state', async () => {
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

  it('does not reuse ids assigned since', async () => {
    await add('robots_table');
    const { backup } = (await clearAll()).body;
    await add('robots_table');
    const { id } = await add('robots_table');
    await restore(backup);
    expect((await add('robots_table')).id).toBe(id + 1);
    await world.ok(deleteItem, { body: { tablename: 'robots_table', item: { id: id + 1 } } });
  });

  it.each(['snapshot-000001-20260401T120000Z.sqlite', 'snapshot-999999-20260401T120000Z.sqlite'])(
    'of %s, which is not listed, is 404',
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
  ])('of %j, which is not a snapshot name, is 422', async (name) => {
    expect(await restore(name)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('of a symbolic link with a valid name is 404', async () => {
    await filled();
    await clearAll();
    const link = 'snapshot-000002-20260401T120000Z.sqlite';
    symlinkSync(world.file, join(world.backupDir, link));
    expect(await restore(link)).toMatchObject({ status: 404 });
  });

  it('of a newer schema is refused without any change', async () => {
    const backup = await tampered((snapshot) => snapshot.pragma('user_version = 99'));
    const { status, body } = await restore(backup);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('schema version 99');
    await unchanged();
  });

  it('of a foreign database is refused', async () => {
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
  ])('of a file holding %s is refused', async (_what, content, why) => {
    const backup = await tampered(() => undefined);
    writeFileSync(join(world.backupDir, backup), content);
    const { status, body } = await restore(backup);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain(why);
    await unchanged();
  });

  it('leaves no temporary copy behind', async () => {
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
