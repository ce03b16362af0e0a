import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { RobotHome } from '../support/robot-home.ts';

const BUSY = { status: 409, code: 'busy' };

describe('A restore of the whole robot', () => {
  const robot = new RobotHome('robot-1');
  let archive: Buffer;
  beforeAll(async () => {
    await robot.start();
    archive = (await robot.pack()).bytes;
  });
  afterAll(() => robot.stop());

  const post = (path: string, body: object) => robot.service.as('ADMIN', path, { method: 'POST', body });
  const untouched = async (work: () => Promise<unknown>) => {
    const before = robot.state();
    await work();
    expect(robot.state()).toEqual(before);
    expect(robot.leftovers()).toEqual([]);
  };

  it('is refused while a lease is fresh, which a dry run is not', () =>
    untouched(async () => {
      const instance = 'instance-of-this-test-';
      const { json: lease } = await post('/api/v2/lease/', { instance, ttl_ms: 60_000 });
      expect((await robot.restore(archive)).json).toMatchObject({ ...BUSY, detail: expect.stringMatching(/lease/) });
      expect((await robot.restore(archive, '?dry_run=true')).status).toBe(200);
      await robot.service.as('ADMIN', `/api/v2/lease/${lease.lease_id}`, { method: 'DELETE' });
    }));

  it('is refused while the robot moves', () =>
    untouched(async () => {
      await post('/api/v2/float/', { command: 'set_robot_max_velocity', value: 1 });
      await post('/api/v2/coordinates/', { command: 'go_to_relative', value: { x: 50 } });
      expect((await robot.restore(archive)).json).toMatchObject({
        ...BUSY,
        detail: expect.stringMatching(/mov|mission/),
      });
      await robot.service.as('USER', '/api/v2/stop', { method: 'POST' });
    }));

  it('loses no write that was answered with success, while 50 clients write rows', async () => {
    const written: string[] = [];
    const refused = new Set<string>();
    let over = false;
    const write = async (client: number) => {
      for (let round = 0; !over; round++) {
        const name = `row-${client}-${round}`;
        const body = { tablename: 'robots_table', item: { name } };
        const { status, json } = await post('/api/v2/database/add_item/', body);
        if (status === 200) written.push(name);
        else refused.add(json.code);
      }
    };
    const writers = Array.from({ length: 50 }, (_, client) => write(client));
    await until('rows are written', () => written.length > 100);
    const { status, json } = await robot.restore(archive);
    over = true;
    await Promise.all(writers);
    expect([status, [...refused].filter((code) => code !== 'busy')]).toEqual([200, []]);

    const names = () => (robot.state().tables.robots_table as Array<{ name: string }>).map(({ name }) => name);
    const after = new Set(names());
    expect((await robot.restoreKept(json.backup)).status).toBe(200);
    const kept = new Set(names());
    expect(written.filter((name) => !after.has(name) && !kept.has(name))).toEqual([]);
    expect(written.some((name) => kept.has(name))).toBe(true);
  });
});
