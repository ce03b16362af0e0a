import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../../functions/database/clear-database.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as listBackups } from '../../../functions/database/list-backups.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { handler as restoreBackup } from '../../../functions/database/restore-backup.handler.ts';
import { add, clear, clearAll, clock, filled, list, startAgain, useSnapshots, world } from '../../support/snapshots.ts';

useSnapshots();

const DAY = 24 * 3_600_000;

const names = async () => (await list()).map(({ name }) => name);

describe('Snapshots', () => {
  it('are for ADMIN and ENCHANTER only', async () => {
    for (const handler of [listBackups, restoreBackup])
      expect(await world.call(handler, { body: { backup: 'x' } })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_access', detail: expect.stringMatching(/needs access level ENCHANTER or ADMIN/) },
      });
  });

  it('are single files readable by their user only', async () => {
    await filled();
    await clearAll();
    const [{ name = '', size = 0 } = {}] = await list();
    const stats = statSync(join(world.backupDir, name));
    expect({ mode: stats.mode & 0o777, size: stats.size }).toEqual({ mode: 0o600, size });
    expect(readdirSync(world.backupDir)).toEqual([name]);
  });

  it('are listed newest first, without other files of the folder', async () => {
    for (let n = 0; n < 3; n++) {
      await add('robots_table');
      await clear('robots_table');
      clock.now -= DAY; // a clock that runs backwards must not turn the order round
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

  it('older than seven days are kept while among the newest ten', async () => {
    for (let n = 0; n < 12; n++) {
      await add('robots_table');
      await clear('robots_table');
    }
    expect(await list()).toHaveLength(12);
    clock.now += 8 * DAY;
    await add('robots_table');
    await clear('robots_table');
    const kept = await names();
    expect(kept).toHaveLength(10);
    expect(kept.at(-1)).toMatch(/^snapshot-000004-/);
  });

  it('younger than seven days are never evicted by a USER clearing in a loop, who gets 507', async () => {
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
    clock.now += 7 * DAY;
    expect(await loop.call(clearDatabase)).toMatchObject({ status: 200 });
  });
});

describe('A snapshot left half written by a killed service', () => {
  it('is removed at the next start and never listed', async () => {
    await filled();
    await clearAll();
    const { pid } = spawnSync('true');
    copyFileSync(world.file, join(world.backupDir, `unfinished-snapshot-${pid}.sqlite`));
    expect((await startAgain().ok(listBackups, { as: 'ADMIN' })).backups).toHaveLength(1);
    expect(readdirSync(world.backupDir)).toHaveLength(1);
  });

  it('is kept while the service writing it runs', async () => {
    await filled();
    const name = `unfinished-snapshot-${process.ppid}.sqlite`;
    copyFileSync(world.file, join(world.backupDir, name));
    expect((await startAgain().ok(listBackups, { as: 'ADMIN' })).backups).toEqual([]);
    expect(readdirSync(world.backupDir)).toEqual([name]);
  });
});
