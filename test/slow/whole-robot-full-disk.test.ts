import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { RobotHome } from '../support/robot-home.ts';
import { describeOnDisks } from '../support/small-disk.ts';

const MIB = 1024 ** 2;
const MESH_BYTES = 300_000;
/** Room that is left, in KiB: from too little for the first file to enough for everything. */
const ROOMS = [16, 128, 256, 384, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 6144];

describeOnDisks('A restore of the whole robot on a disk that gets full', (mount) => {
  let robot: RobotHome | undefined;
  afterAll(() => robot?.stop());

  it('is all of it or nothing, wherever the last byte is taken, and works again when there is room', async () => {
    const disk = mount(40 * MIB);
    robot = new RobotHome('robot-1', { SERVICE_MIN_FREE: '0' }, disk.folder);
    await robot.start();
    await robot.add('robots_table', { name: 'in the archive' });
    mkdirSync(join(robot.dataDir, 'description'), { recursive: true });
    writeFileSync(join(robot.dataDir, 'description', 'mesh.stl'), Buffer.alloc(MESH_BYTES, 'archive'));
    const archive = (await robot.pack()).bytes;
    const wanted = robot.state();
    const filler = join(disk.folder, 'room-taken');
    const outcomes = new Set<number>();

    for (const kib of ROOMS) {
      await robot.add('robots_table', { name: `of ${kib}` });
      writeFileSync(join(robot.dataDir, 'description', 'mesh.stl'), Buffer.alloc(MESH_BYTES, String(kib)));
      const before = robot.state();
      const { bavail, bsize } = statfsSync(disk.folder);
      appendFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - kib * 1024)));
      const { status, json } = await robot.restore(archive);
      rmSync(filler);
      outcomes.add(status);
      expect([kib, status === 200 ? 'restored' : json.code]).toEqual([
        kib,
        expect.stringMatching(/restored|storage_full/),
      ]);
      expect([kib, robot.state()]).toEqual([kib, status === 200 ? wanted : before]);
      expect([kib, robot.leftovers()]).toEqual([kib, []]);
    }
    expect([...outcomes].sort()).toEqual([200, 507]);
    expect((await robot.restore(archive)).status).toBe(200);
    expect(robot.state()).toEqual(wanted);
  });

  it('ends with 507 before the reserve is touched', async () => {
    const disk = mount(40 * MIB);
    const small = new RobotHome('robot-1', { SERVICE_MIN_FREE: String(30 * MIB) }, disk.folder);
    await small.start();
    const archive = (await small.pack()).bytes;
    const before = small.state();
    writeFileSync(join(disk.folder, 'other'), Buffer.alloc(12 * MIB));
    expect((await small.restore(archive)).json).toMatchObject({ status: 507, code: 'storage_full' });
    expect((await small.pack()).json).toMatchObject({ status: 507 });
    expect(small.state()).toEqual(before);
    expect(small.leftovers()).toEqual([]);
    await small.stop();
  });
});
