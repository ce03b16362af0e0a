import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { RobotHome } from '../support/robot-home.ts';

const INSTANCE = 'instance-of-this-test-';
const ENDLESS = `
import time
from robot_rest import skill

@skill(access_level="USER")
def forever():
    time.sleep(600)
`;
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
      const { json: lease } = await post('/api/v2/lease/', { instance: INSTANCE, ttl_ms: 60_000 });
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

  it('is refused while a skill runs', () =>
    untouched(async () => {
      await robot.upload('endless', ENDLESS);
      const before = robot.state();
      const started = await post('/api/v2/runs/', { skill: 'endless' });
      expect(started.status).toBe(201);
      expect((await robot.restore(archive)).json).toMatchObject({ ...BUSY, detail: expect.stringMatching(/skill/) });
      expect(robot.state()).toEqual(before);
      await post(`/api/v2/runs/${started.json.id}/stop`, {});
      await until('it has ended', async () => {
        const { json } = await robot.service.as('ADMIN', `/api/v2/runs/${started.json.id}`);
        return json.finished_at !== null;
      });
      await robot.service.as('ADMIN', '/api/v2/skill/remove/?skill_name=endless', { method: 'DELETE' });
    }));

  it('is refused when somebody takes the lease while the archive arrives, before anything is touched', () =>
    untouched(async () => {
      const authorization = `Bearer ${await robot.service.token('ENCHANTER')}`;
      const headers = { authorization, 'content-type': 'application/gzip', 'content-length': archive.length };
      const sent = request(`${robot.service.url}/api/v2/backup/restore`, { method: 'POST', headers, agent: false });
      const answered = once(sent, 'response');
      sent.write(archive.subarray(0, -10));
      await until('it arrives', () => readdirSync(robot.dataDir).some((name) => name.startsWith('.restore-new-')));
      const { json: lease } = await post('/api/v2/lease/', { instance: INSTANCE, ttl_ms: 60_000 });
      sent.end(archive.subarray(-10));
      const [response] = (await answered) as [IncomingMessage]; // as: what node:http emits
      expect(JSON.parse(await text(response))).toMatchObject({ ...BUSY, detail: expect.stringMatching(/lease/) });
      await robot.service.as('ADMIN', `/api/v2/lease/${lease.lease_id}`, { method: 'DELETE' });
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
