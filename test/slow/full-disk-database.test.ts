import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DatabaseOnDisk, MIB, PROMPT, range, TABLE } from '../support/database-on-disk.ts';
import { until } from '../support/processes.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { upload } from '../support/writers.ts';

const DISK_BYTES = 64 * MIB;
/** Of a small disk a twentieth is reserved. */
const DEFAULT_RESERVE = DISK_BYTES / 20;

describeOnDisks('Rows that are added until they are refused', (mount) => {
  it('leave room for what the log still has to bring into the database, however long a reading held it back', async () => {
    const reserve = 10 * MIB;
    const world = await new DatabaseOnDisk(mount(DISK_BYTES), reserve).start();
    try {
      for (let row = 0; row < 12; row += 1) expect(await world.add()).toBe(200);
      const reading = await world.readSlowly();
      const added = 12 + (await world.addUntilRefused());
      expect(world.logBytes()).toBeGreaterThan(12 * MIB); // the reading did hold it back
      expect(world.free()).toBeGreaterThanOrEqual(reserve);
      reading.destroy();
      // While the log moves, its rows stand in both files: what is reserved may serve for that moment.
      await until('the log is short', () => world.logBytes() <= 12 * MIB && world.free() >= reserve);
      await world.expectDeletes(range(1, added));
    } finally {
      await world.stop();
    }
  });

  it('leave the reserve and the spare for deletes as they are, which serve when another program takes the rest', async () => {
    const world = await new DatabaseOnDisk(mount(DISK_BYTES)).start();
    try {
      const added = await world.addUntilRefused();
      expect(world.free()).toBeGreaterThanOrEqual(DEFAULT_RESERVE);
      world.disk.fill();
      await world.expectDeletes(range(1, added));
    } finally {
      await world.stop();
    }
  });

  it('can be deleted while a reading holds the log back, and another program has taken the rest', async () => {
    const world = await new DatabaseOnDisk(mount(DISK_BYTES)).start();
    try {
      for (let row = 0; row < 12; row += 1) expect(await world.add()).toBe(200);
      const reading = await world.readSlowly();
      const added = 12 + (await world.addUntilRefused());
      // The index of the log grows with it, by 32 KiB for 4096 pages: it must not need to.
      expect(world.indexBytes()).toBeGreaterThan((world.logBytes() / 4096 / 4096 + 1) * 32_768);
      world.disk.fill();
      for (const id of [1, 2, 3]) {
        await world.expectDeletes([id]);
        await sleep(1_200); // the service tries each second to bring the log into the database
      }
      await world.expectDeletes(range(4, added - 5));
      reading.destroy();
      await world.expectDeletes(range(added - 4, added));
      // What the log held is in the database now, which could not grow by itself.
      await until('the log is short', () => world.logBytes() <= 12 * MIB);
    } finally {
      await world.stop();
    }
  });

  it('make room for as many others, for exports and for skills once they are deleted', async () => {
    const world = await new DatabaseOnDisk(mount(DISK_BYTES), 16 * MIB).start();
    try {
      const added = await world.addUntilRefused();
      await world.expectDeletes(range(1, added));
      await until('the room has come back', () => world.logBytes() <= 12 * MIB && world.free() > 2 * 16 * MIB);
      expect((await upload(world.service.as, 'new.py', `# ${PROMPT.slice(0, 200_000)}\n`)).status).toBe(200);
      const call = { method: 'POST', body: { tablename: TABLE } };
      expect((await world.service.as('ADMIN', '/api/v2/database/export_table/', call)).status).toBe(200);
      expect(await world.addUntilRefused()).toBeGreaterThan(added - 5);
    } finally {
      await world.stop();
    }
  });

  it('go where others were, on a disk without a free byte', async () => {
    const world = await new DatabaseOnDisk(mount(DISK_BYTES)).start();
    try {
      for (let row = 0; row < 5; row += 1) expect(await world.add()).toBe(200);
      world.disk.fill();
      await world.expectDeletes([1, 2, 3]);
      const added = await world.addUntilRefused();
      expect(added).toBeGreaterThanOrEqual(2);
      await world.expectDeletes(range(4, 5 + added));
    } finally {
      await world.stop();
    }
  });
});

describeOnDisks('An import that needs more room than its file', (mount) => {
  const reserve = 24 * MIB;
  let world: DatabaseOnDisk;
  beforeAll(async () => {
    world = await new DatabaseOnDisk(mount(DISK_BYTES), reserve).start();
    mkdirSync(join(world.data, 'exports'), { recursive: true });
  });
  afterAll(() => world.stop());

  const load = (rows: number) => {
    writeFileSync(join(world.data, 'exports', 'ids.csv'), `id\n${range(1, rows).join('\n')}\n`);
    const body = { tablename: 'runes_table', path: 'ids.csv' };
    return world.service.as('ADMIN', '/api/v2/database/import_table/', { method: 'POST', body });
  };
  const rows = async () =>
    (await world.service.as('USER', '/api/v2/database/read/?tablename=runes_table&limit=1')).headers['x-total-count'];

  it('is refused before it touches the reserve, and changes nothing', async () => {
    let least = world.free();
    const looking = setInterval(() => {
      least = Math.min(least, world.free());
    }, 5);
    const { status, json } = await load(812_500);
    clearInterval(looking);
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect(least).toBeGreaterThanOrEqual(reserve);
    expect(await rows()).toBe('0');
    await until('the log is short', () => world.logBytes() <= 12 * MIB);
  });

  it('leaves the log with room for deletes where it fits', async () => {
    expect((await load(200_000)).status).toBe(200);
    await until('the log is short', () => world.logBytes() <= 12 * MIB);
    expect(world.logBytes()).toBeGreaterThanOrEqual(7 * MIB);
    expect(await rows()).toBe('200000');
  });
});

describeOnDisks('A service that starts on a disk without a free byte', (mount) => {
  it('reads and deletes rows, as it did before it was ended', async () => {
    const world = await new DatabaseOnDisk(mount(DISK_BYTES)).start();
    expect(await world.addUntilRefused()).toBeGreaterThan(30);
    await world.stop();
    world.disk.fill();
    await world.start();
    try {
      const { status, text } = await world.call('GET', `read/?tablename=${TABLE}&limit=3`);
      expect(status).toBe(200);
      expect(text).toContain(PROMPT);
      await world.expectDeletes(range(1, 30));
    } finally {
      await world.stop();
    }
  });
});
