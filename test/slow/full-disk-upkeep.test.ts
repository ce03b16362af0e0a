import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { DatabaseOnDisk, MIB, range, TABLE } from '../support/database-on-disk.ts';
import { until } from '../support/processes.ts';
import { describeOnDisks, type SmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/world.ts';

/** Room for the index of a log of 256 MiB. */
const INDEX_BYTES = 544 * 1024;

const running: DatabaseOnDisk[] = [];
afterEach(async () => {
  for (const world of running.splice(0)) await world.stop();
});

async function started(disk: SmallDisk, reserve?: number): Promise<DatabaseOnDisk> {
  const world = await new DatabaseOnDisk(disk, reserve).start();
  running.push(world);
  return world;
}

/** Pages in the log, as another program sees it. */
function pagesInLog(world: DatabaseOnDisk): number {
  const other = new Database(join(world.data, 'robot.sqlite'));
  try {
    const [row] = other.pragma('wal_checkpoint(NOOP)') as Array<{ log: number }>; // as: https://sqlite.org/pragma.html#pragma_wal_checkpoint
    return row?.log ?? 0;
  } finally {
    other.close();
  }
}

const readiness = (world: DatabaseOnDisk) => world.service.as(undefined, '/health/ready');

describeOnDisks('The log of the database on a full disk', (mount) => {
  it('is left to deletes while a reading holds it back, and gives pages back to the disk after it', async () => {
    const world = await started(mount(64 * MIB));
    for (let row = 0; row < 30; row += 1) expect(await world.add()).toBe(200);
    const reading = await world.readSlowly();
    await world.expectDeletes([1]);
    world.disk.fill();
    const before = pagesInLog(world);
    await world.expectDeletes(range(2, 21));
    expect(pagesInLog(world) - before).toBeLessThan(20 * 16);
    reading.destroy();
    await until('pages have been given back', () => world.free() > 5 * MIB);
  });

  it('has room for what a small disk takes, without touching the reserve', async () => {
    const world = await started(mount(40 * MIB));
    expect(await world.addUntilRefused()).toBeGreaterThan(10);
    expect(world.free()).toBeGreaterThanOrEqual((40 * MIB) / 20);
  });

  it('has room for deletes on what a partition of 64 MiB has with ext4', async () => {
    const world = await started(mount(55 * MIB));
    const added = await world.addUntilRefused();
    world.disk.fill();
    await world.expectDeletes(range(1, added));
  });

  it('keeps its room and that of its index, empty, when the service ends, and at the next start', async () => {
    const world = await started(mount(64 * MIB));
    for (let row = 0; row < 5; row += 1) expect(await world.add()).toBe(200);
    world.disk.fill();
    await world.expectDeletes([1]);
    expect(world.indexBytes()).toBeGreaterThanOrEqual(INDEX_BYTES);
    await world.stop();
    expect(world.indexBytes()).toBeGreaterThanOrEqual(INDEX_BYTES);
    expect(world.logBytes()).toBe(7 * MIB);
    world.disk.fill();
    const copy = join(temporaryFolder(), 'robot.sqlite');
    copyFileSync(join(world.data, 'robot.sqlite'), copy);
    const alone = new Database(copy);
    expect(alone.prepare(`select count(*) from ${TABLE}`).pluck().get()).toBe(4);
    alone.close();
    await world.start();
    expect((await readiness(world)).json.parts.database).toEqual({ ok: true });
    await until('the index has its room', () => world.indexBytes() >= INDEX_BYTES);
    await world.expectDeletes(range(2, 5));
  });
});

describeOnDisks('A start on a full disk that has no room to read the database', (mount) => {
  it('stops the robot, says why in /health/ready, and reads by itself once there is room', async () => {
    const world = await started(mount(64 * MIB));
    expect(await world.add()).toBe(200);
    await world.stop();
    for (const end of ['-wal', '-shm']) rmSync(join(world.data, `robot.sqlite${end}`));
    world.disk.fill();
    await world.start();
    expect((await world.service.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    expect((await world.call('GET', `read/?tablename=${TABLE}`)).status).toBe(507);
    const { database } = (await readiness(world)).json.parts;
    expect(database).toMatchObject({ ok: false, reason: expect.stringContaining('opens by itself') });
    world.disk.free();
    await until('it is ready', async () => (await readiness(world)).json.parts.database.ok === true);
    expect((await world.call('GET', `read/?tablename=${TABLE}`)).status).toBe(200);
  });
});

describeOnDisks('Clearing a table', (mount) => {
  it('counts what its log needs beside the snapshot, and is refused without one', async () => {
    const reserve = 8 * MIB;
    const world = await started(mount(96 * MIB), reserve);
    expect(await world.add()).toBe(200);
    const other = new Database(join(world.data, 'robot.sqlite'));
    other.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
         insert into runes_table (id, name) select i, hex(zeroblob(100)) from n`,
    );
    other.close();
    const { size } = world.databaseStats();
    writeFileSync(join(world.disk.folder, 'filler'), Buffer.alloc(world.free() - reserve - size - MIB));
    const clear = () => world.call('DELETE', 'clear_table/?tablename=runes_table');
    expect((await clear()).status).toBe(507);
    expect(readdirSync(join(world.data, 'backups'))).toEqual([]);
    world.disk.free();
    expect((await clear()).status).toBe(200);
    expect(world.free()).toBeGreaterThan(reserve);
  });
});
