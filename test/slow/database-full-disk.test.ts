import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openDatabase } from '../../functions/database/adapters/open.ts';
import type { RobotDatabase } from '../../functions/database/port.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import { asServiceError } from '../../functions/shared/pipeline/render-error.ts';
import { REQUESTER } from '../support/database-file.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const table = 'robots_table';
const BIG = 'x'.repeat(20_000);
const FULL = '507 storage_full';

/** What a client would be told. */
function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => {
      const { status, code } = error instanceof ServiceError ? error : asServiceError(error);
      return `${status} ${code}`;
    },
  );
}

async function rowsOf(database: RobotDatabase): Promise<unknown[]> {
  const { body } = await database.readRows(table, {}, REQUESTER);
  let text = '';
  for await (const chunk of body) text += chunk;
  return JSON.parse(text) as unknown[]; // as: the table is a JSON array
}

describeOnDisks('A full disk', (mount) => {
  it('answers every database write with 507, and changes nothing', async () => {
    const disk = mount(4 * 1024 ** 2);
    const config = testConfig({ SERVICE_DATA_DIR: disk.folder, SERVICE_MIN_FREE: '0' });
    const [exports, backups] = [join(disk.folder, 'exports'), join(disk.folder, 'backups')];
    const open = () => openDatabase(config, silentLogger, Date.now);
    const database = await open();
    for (let n = 0; n < 20; n++) await database.insert(table, { name: BIG });
    await database.exportTables({ table }, 'before.csv', REQUESTER);
    const exported = readFileSync(join(exports, 'before.csv'), 'utf8');
    writeFileSync(join(exports, 'other.csv'), exported.replaceAll('x', 'y'));

    let acknowledged = 20;
    let inserted = 'done';
    while (inserted === 'done' && acknowledged < 1000) {
      inserted = await outcome(database.insert(table, { name: BIG }));
      if (inserted === 'done') acknowledged += 1;
    }
    expect(inserted).toBe(FULL);
    disk.fill();

    const before = await rowsOf(database);
    expect(before).toHaveLength(acknowledged);
    const name = 'y'.repeat(100_000);
    expect(await outcome(database.update(table, 1, { name }))).toBe(FULL);
    expect(await outcome(database.clear({ table }))).toBe(FULL);
    expect(await outcome(database.clear('every'))).toBe(FULL);
    expect(await outcome(database.exportTables({ table }, 'before.csv', REQUESTER))).toBe(FULL);
    expect(await outcome(database.importTables({ table }, 'other.csv', REQUESTER))).toBe(FULL);
    expect(await rowsOf(database)).toEqual(before);
    expect(readFileSync(join(exports, 'before.csv'), 'utf8')).toBe(exported);
    expect([readdirSync(exports).sort(), readdirSync(backups)]).toEqual([['before.csv', 'other.csv'], []]);

    disk.free();
    rmSync(join(exports, 'before.csv'));
    expect(await outcome(database.insert(table, { name: 'small' }))).toBe('done');
    await database.close();
    const again = await open();
    expect(again.problem()).toBeUndefined();
    await again.close();
  });
});
