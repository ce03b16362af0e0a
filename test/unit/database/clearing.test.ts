import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as clearDatabase } from '../../../functions/database/clear-database.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { auditTrail } from '../../../functions/shared/observability/ports.ts';
import { PARENTS, TABLES } from '../../support/rows.ts';
import { add, clear, clearAll, filled, list, read, restore, useSnapshots, world } from '../../support/snapshots.ts';

useSnapshots();

describe('Clearing', () => {
  it('a table answers the number of deleted rows and the snapshot taken before', async () => {
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

  it('everything answers the count for each table', async () => {
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

  it('an empty table or database takes no snapshot', async () => {
    expect((await clear('robots_table')).body).toEqual({
      tablename: 'robots_table',
      deleted: 0,
      backup: null,
      undo: null,
    });
    expect((await clearAll()).body).toMatchObject({ backup: null, undo: null });
    expect(await list()).toEqual([]);
  });

  it('a referenced table is 409 with table and count, without a snapshot', async () => {
    await filled();
    await add('skills_table', { value: {}, description: {}, subcategory_id: 1 });
    const { status, body } = await clear('subcategories_table');
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('1 of skills_table');
    expect(await read('subcategories_table')).toHaveLength(1);
    expect(await list()).toEqual([]);
  });

  it.each(['prefetch', 'prefetch;prerender'])('everything is refused for Sec-Purpose: %s', async (purpose) => {
    await filled();
    const { invoke } = await import('../../support/invoke.ts');
    const headers = { authorization: 'Bearer USER', 'sec-purpose': purpose };
    expect(await invoke(clearDatabase, { ports: world.ports, headers })).toMatchObject({ status: 403 });
    expect(await read('robots_table')).toHaveLength(1);
  });
});

describe('The audit trail', () => {
  it('records who cleared, imported and restored, and the outcome', async () => {
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
