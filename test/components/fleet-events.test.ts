import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AccessLevel } from '../../functions/shared/access.ts';
import { keyStore, tokens } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { describeWith } from '../support/components.ts';
import { openEvents, openSse, refusedHandshake, subscribeEvents } from '../support/event-client.ts';
import { http } from '../support/http.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService, testKeyId } from '../support/service.ts';

describeWith('mosquitto', MOSQUITTO, 'GET /{robot_id}/rest/api/v2/events', () => {
  const PATH = '/robot-1/rest/api/v2/events';
  let broker: TestBroker;
  let host: TestService;
  let robot: TestService;
  beforeAll(async () => {
    broker = await startMosquitto();
    robot = await startTestService({
      settings: { SERVICE_ROBOT_ID: 'robot-1', SERVICE_RELAY_URL: broker.url('robot-1') },
    });
    host = await startTestService({
      settings: { SERVICE_ROBOT_URL: broker.url('service'), SERVICE_ROBOT_ID: 'hall' },
      given: [give(keyStore, new FakeKeyStore([keyRecord('limited', 'ENCHANTER', { robots: ['hall', 'robot-1'] })]))],
    });
    await until('the robot is there', async () => {
      const headers = { authorization: `Bearer ${await tokenFor('robot-1')}` };
      return (await http(host.url, '/robot-1/rest/status', { headers })).json.robot === 'connected';
    });
  });
  afterAll(async () => {
    await Promise.all([host.stop(), robot.stop()]);
    await broker.kill();
  });

  async function tokenFor(robotId: string, accessLevel: AccessLevel = 'ENCHANTER', keyId = testKeyId(accessLevel)) {
    const minting = await host.ports.forRobot(robotId, false).get(tokens);
    return (await minting.mint({ accessLevel, keyId, mayPublish: false })).token;
  }
  const post = async (path: string, robotId = 'robot-1') =>
    http(host.url, `/${robotId}/rest/api/v2/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenFor(robotId)}` },
    });

  it('brings what happens to that robot, and to no other', async () => {
    const topics = ['state', 'joints', 'missions', 'safety', 'commands'];
    const one = await subscribeEvents(host.url, topics, { path: PATH, token: await tokenFor('robot-1') });
    const other = await subscribeEvents(host.url, topics, {
      path: '/robot-2/rest/api/v2/events',
      token: await tokenFor('robot-2'),
    });
    const own = await subscribeEvents(host.url, [...topics, 'audit'], { token: await host.token('ENCHANTER') });
    const snapshot = await one.next('the state comes', ({ type, topic }) => type === 'snapshot' && topic === 'state');
    expect(snapshot.data).toMatchObject({ link: 'connected', simulated: false, volume: null });
    expect((await post('stop')).status).toBe(200);
    await until('the stop is told', () => one.events().some(({ type }) => type === 'robot.commands.answered'));
    const told = one.events().filter(({ type }) => !/state|joints/.test(type));
    expect(told.map(({ type }) => type)).toEqual([
      'robot.safety.stop_requested',
      'robot.safety.stop_confirmed',
      'robot.commands.answered',
    ]);
    expect(new Set(one.events().map(({ source }) => source))).toEqual(new Set(['/robots/robot-1']));
    await until('the audit tells of it', () => own.events().some(({ type }) => type === 'robot.audit.appended'));
    expect(own.events().find(({ type }) => type === 'robot.audit.appended').data).toMatchObject({
      subject: { command: 'stop', robot: 'robot-1' },
    });
    for (const client of [other, own]) {
      expect(client.events().filter(({ type }) => /safety|commands/.test(type))).toEqual([]);
    }
    for (const client of [one, other, own]) client.socket.close();
  });

  it('says of topics of the host that they are at the robot, and stays open', async () => {
    const client = openEvents(host.url, { path: PATH });
    await until('it is open', () => client.socket.readyState === 1);
    client.send({ type: 'authenticate', token: await tokenFor('robot-1') });
    const elsewhere = [
      'database',
      'services',
      'network',
      'skills',
      'audit',
      'alerts',
      'lease',
      'logs/head/nav.service',
    ];
    client.send({ type: 'subscribe', topics: [...elsewhere, 'safety'] });
    await client.next('safety is subscribed to', ({ type, topics }) => type === 'subscribed' && topics[0] === 'safety');
    const errors = client.messages.filter(({ type }) => type === 'error');
    expect(errors.map(({ code, topic }) => [code, topic])).toEqual(
      elsewhere.map((topic) => ['component_unavailable', topic]),
    );
    expect(errors[0].detail).toContain('only reachable at the robot "robot-1" itself');
    client.send({ type: 'ping' });
    await client.next('it answers', ({ type }) => type === 'pong');
    client.socket.close();
  });

  it('streams the same as server-sent events', async () => {
    const headers = { authorization: `Bearer ${await tokenFor('robot-1')}` };
    const stream = await openSse(host.url, 'safety,database', headers, '/robot-1/rest');
    await until('a snapshot is there', () => stream.named('snapshot').length === 1);
    expect(stream.named('error')).toMatchObject([{ code: 'component_unavailable', topic: 'database' }]);
    await post('stop');
    await until('the stop is told', () => stream.named('message').length >= 2);
    expect(stream.named('message')[0]).toMatchObject({ source: '/robots/robot-1' });
    stream.close();
  });

  it('lets nobody in without a token for that robot, and makes nothing for them', async () => {
    const path = '/robot-7/rest/api/v2/events';
    const refused = async (token: string) => refusedHandshake(openEvents(host.url, { path, token }));
    expect(await refused(await tokenFor('robot-1'))).toEqual({ status: 401, code: 'token_invalid' });
    expect(await refused('a.b.c')).toEqual({ status: 401, code: 'token_invalid' });
    const silent = openEvents(host.url, { path });
    await until('it is open', () => silent.socket.readyState === 1);
    silent.send({ type: 'subscribe', topics: ['state'] });
    const error = await silent.next('it is refused', ({ type }) => type === 'error');
    expect(error).toMatchObject({
      code: 'missing_token',
      detail: expect.stringContaining('GET /robot-7/rest/api/v2/auth/'),
    });
    silent.send({ type: 'authenticate', token: await tokenFor('robot-1') });
    expect(await silent.closed()).toBe(4401);
    expect(host.ports.forRobot('robot-7', false)).not.toBe(host.ports.forRobot('robot-7', false)); // none is kept
  });

  it('keeps a limited API key from the events of the host itself', async () => {
    const token = (await http(host.url, '/hall/rest/api/v2/auth/', { headers: { 'x-api-key': 'rk_limited' } })).json
      .token;
    const client = openEvents(host.url, { token });
    expect(await refusedHandshake(client)).toEqual({ status: 403, code: 'insufficient_access' });
    const headers = { authorization: `Bearer ${token}` };
    const { status, json } = await http(host.url, '/api/v2/events?topics=state', { headers });
    expect([status, json.code]).toEqual([403, 'insufficient_access']);
  });

  it('keeps a robot whose events somebody receives, and not longer', async () => {
    const client = await subscribeEvents(host.url, ['state'], { path: PATH, token: await tokenFor('robot-1') });
    const busy = () => (host.ports.forRobot('robot-1', false) as unknown as { busy: boolean }).busy; // as: its own container
    expect(busy()).toBe(true);
    client.socket.close();
    await until('it is released', () => !busy());
  });
});
