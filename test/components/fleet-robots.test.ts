import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

describeWith('mosquitto', MOSQUITTO, 'GET /api/v2/robots/', () => {
  let broker: TestBroker;
  let host: TestService;
  let robots: TestService[];
  beforeAll(async () => {
    broker = await startMosquitto();
    robots = await Promise.all(
      (['robot-1', 'robot-2'] as const).map((id) =>
        startTestService({ settings: { SERVICE_ROBOT_ID: id, SERVICE_RELAY_URL: broker.url(id) } }),
      ),
    );
    const keys = [keyRecord('all', 'USER'), keyRecord('some', 'USER', { robots: ['robot-2', 'robot-9'] })];
    host = await startTestService({
      settings: { SERVICE_ROBOT_URL: broker.url('service'), SERVICE_ROBOT_ID: 'hall' },
      given: [give(keyStore, new FakeKeyStore(keys))],
    });
  });
  afterAll(async () => {
    await Promise.all([...robots, host].map((service) => service.stop()));
    await broker.kill();
  });

  async function listed(key: string, prefix = '') {
    const auth = await http(host.url, `${prefix}/api/v2/auth/`, { headers: { 'x-api-key': `rk_${key}` } });
    const headers = { authorization: `Bearer ${auth.json.token}` };
    return (await http(host.url, '/api/v2/robots/', { headers })).json.robots;
  }

  it('lists every robot of a fleet to a key without limits', async () => {
    const online = (id: string) => ({ id, online: true, since: null, catalogue_size: expect.any(Number), state: null });
    await until('both have said that they are there', async () => (await listed('all')).length === 2);
    const robots = await listed('all');
    expect(robots).toEqual([online('robot-1'), online('robot-2')]);
    expect(robots[0].catalogue_size).toBeGreaterThan(20);
  });

  it('lists its own robots to a limited key, with those that are not there', async () => {
    const robots = await listed('some', '/robot-2/rest');
    expect(robots).toMatchObject([
      { id: 'robot-2', online: true },
      { id: 'robot-9', online: false, since: null, catalogue_size: 0 },
    ]);
  });

  it('says since when a robot that is in use is there', async () => {
    const auth = await http(host.url, '/robot-1/rest/api/v2/auth/', { headers: { 'x-api-key': 'rk_all' } });
    const headers = { authorization: `Bearer ${auth.json.token}` };
    expect((await http(host.url, '/robot-1/rest/api/v2/commands/', { headers })).status).toBe(200);
    const [robot] = await listed('all');
    expect(Math.abs(Date.parse(robot.since) - Date.now())).toBeLessThan(600_000);
  });

  it('tells whether a robot is connected at the first question, to holders of a token for it only', async () => {
    const status = async (robot: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await http(host.url, `/${robot}/rest/status`, { headers })).json;
    };
    const tokenFor = async (robot: string) =>
      (await http(host.url, `/${robot}/rest/api/v2/auth/`, { headers: { 'x-api-key': 'rk_all' } })).json.token;
    const unknown = { robot: 'unknown', robot_notes: [expect.stringContaining('Send a token for this robot')] };
    const token = await tokenFor('robot-2');
    expect(await status('robot-2')).toMatchObject(unknown);
    expect(await status('robot-2', 'a.b.c')).toMatchObject(unknown);
    expect(await status('robot-2', await tokenFor('robot-1'))).toMatchObject(unknown);
    expect(await status('robot-2', token)).toMatchObject({ robot_id: 'robot-2', robot: 'connected' });
    expect(await status('robot-8', await tokenFor('robot-8'))).toMatchObject({ robot: 'disconnected' });
    expect((await http(host.url, '/status')).json).toMatchObject({
      robot_link: 'fleet',
      robot: 'connected',
      robot_notes: [expect.stringContaining('GET /api/v2/robots/')],
    });
  });

  it('names the path of a robot in what a robot without such a command is answered', async () => {
    const { token } = (await http(host.url, '/robot-1/rest/api/v2/auth/', { headers: { 'x-api-key': 'rk_all' } })).json;
    const headers = { authorization: `Bearer ${token}` };
    const { json } = await http(host.url, '/robot-1/rest/api/v2/get/fly', { headers });
    expect(json.detail).toContain('GET /robot-1/rest/api/v2/commands/ lists');
  });

  it('lists the one robot of a service that has one', async () => {
    const { json } = (await robots[0]?.as('USER', '/api/v2/robots/')) ?? {};
    expect(json.robots).toMatchObject([{ id: 'robot-1', online: true, since: null }]);
  });
});
