import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '../../../functions/shared/events/ports.ts';
import { tokens } from '../../../functions/shared/identity/ports.ts';
import { EVENT_LIMITS } from '../../../local-host/events/limits.ts';
import { openSse } from '../../support/event-client.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService, testKeyId } from '../../support/service.ts';

let service: TestService;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startTestService({ limits: { events: { ...EVENT_LIMITS, commentMs: 100, checkMs: 20 } } });
  headers = { authorization: `Bearer ${await service.token('USER')}` };
});
afterAll(() => service.stop());

describe('GET /api/v2/events', () => {
  it('streams a snapshot, then CloudEvents with their ids, and comments in between', async () => {
    const stream = await openSse(service.url, 'alerts,missions', headers);
    await until('both snapshots are there', () => stream.named('snapshot').length === 2);
    const hub = await service.ports.get(events);
    hub.publish('missions', 'started', { id: 'm1', skills: ['nod'], client: 'x' }, { subject: 'm1' });
    await until('the event is there', () => stream.named('message').length === 1);
    const [event] = stream.named('message');
    expect(event).toMatchObject({ type: 'robot.missions.started', subject: 'm1' });
    expect(stream.lastId()).toBe(event.id);
    await until('a comment follows', () => stream.text().endsWith('\n\n:\n\n'));
    stream.close();
  });

  it('goes on after Last-Event-ID, and says when it cannot', async () => {
    const stream = await openSse(service.url, 'missions', { ...headers, 'last-event-id': 'older-1' });
    await until('a snapshot is there', () => stream.named('snapshot').length === 1);
    expect(stream.named('gap')).toMatchObject([{ from: null, topics: ['missions'] }]);
    stream.close();
  });

  it.each([
    ['no topics', '', 422, 'validation_failed'],
    ['an unknown topic', '?topics=nonsense', 422, 'validation_failed'],
    ['a topic above the level', '?topics=missions,audit', 403, 'insufficient_access'],
    ['another parameter', '?topics=missions&after=1', 422, 'validation_failed'],
  ])('refuses %s', async (_what, query, status, code) => {
    const answer = await service.as('USER', `/api/v2/events${query}`);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('needs a token', async () => {
    expect((await service.as(undefined, '/api/v2/events?topics=missions')).status).toBe(401);
  });

  it('is given back when the client hangs up', async () => {
    const connections = async () =>
      Number(/^events_connections\{face="sse"\} (\d+)/m.exec((await service.as(undefined, '/metrics')).text)?.[1]);
    await until('nobody listens', async () => (await connections()) === 0);
    const stream = await openSse(service.url, 'missions', headers);
    expect(await connections()).toBe(1);
    stream.close();
    await until('nobody listens any more', async () => (await connections()) === 0);
  });

  it('ends with the service', async () => {
    const ending = await startTestService();
    const stream = await openSse(ending.url, 'missions', { authorization: `Bearer ${await ending.token('USER')}` });
    await ending.stop();
    await stream.ended();
    expect(stream.text()).toMatch(/: the service restarts\n\n$/);
  });
});

describe('In a fleet', () => {
  it('a robot has the events that reach the host, whether or not it is connected', async () => {
    const fleet = await startTestService({ settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1' } });
    try {
      const minter = await fleet.ports.forRobot('robot-7', false).get(tokens);
      const { token } = await minter.mint({ accessLevel: 'USER', keyId: testKeyId('USER'), mayPublish: false });
      const authorization = `Bearer ${token}`;
      const stream = await openSse(fleet.url, 'state,lease', { authorization }, '/robot-7/rest');
      await until('its state is there', () => stream.named('snapshot').length === 1);
      expect(stream.named('snapshot')).toMatchObject([{ topic: 'state', data: { link: 'disconnected' } }]);
      expect(stream.named('error')).toMatchObject([{ topic: 'lease', code: 'component_unavailable' }]);
      stream.close();
    } finally {
      await fleet.stop();
    }
  });
});
