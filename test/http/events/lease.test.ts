import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSse, subscribeEvents } from '../../support/event-client.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it('tells who controls the robot, and on the topic safety what ends motion', async () => {
  const listener = await subscribeEvents(service.url, ['lease', 'safety'], { token: await service.token('USER') });
  expect(
    await listener.next('a snapshot', ({ type, topic }) => type === 'snapshot' && topic === 'lease'),
  ).toMatchObject({
    data: null,
  });
  const instance = randomBytes(16).toString('base64url');
  const post = (path: string, body: object) => service.as('ADMIN', `/api/v2/lease/${path}`, { method: 'POST', body });
  const { lease_id } = (await post('', { instance })).json;
  await service.as('ADMIN', `/api/v2/lease/${lease_id}`, { method: 'DELETE' });
  await post('take', { instance, reason: 'a test', ttl_ms: 500 });
  await until('the lease has lapsed', () => listener.events().some(({ type }) => type === 'robot.lease.lapsed'));
  const told = (topic: string) =>
    listener
      .events()
      .filter(({ type }) => type.startsWith(`robot.${topic}.`))
      .map(({ type, data }) => [type.split('.').at(-1), data.state, data.holder?.key_name]);
  expect(told('lease')).toEqual([
    ['acquired', 'fresh', 'test-ADMIN'],
    ['released', 'free', undefined],
    ['taken', 'fresh', 'test-ADMIN'],
    ['lapsed', 'stale', 'test-ADMIN'],
  ]);
  expect(told('safety').map(([verb]) => verb)).toEqual([
    'lease_taken',
    'stop_requested',
    'stop_confirmed',
    'lease_lapsed',
  ]);
  const by = listener
    .events()
    .filter(({ type }) => type.startsWith('robot.safety.lease_'))
    .map(({ data }) => data.by);
  expect(by).toEqual(Array(2).fill({ client: listener.events()[0].data.holder.client, key_id: 'test-ADMIN' }));
  expect(JSON.stringify(listener.messages)).not.toContain(lease_id);
  const later = await subscribeEvents(service.url, ['lease'], { token: await service.token('USER') });
  const snapshot = await later.next('a snapshot', ({ type }) => type === 'snapshot');
  expect(snapshot.data).toMatchObject({ state: 'stale', holder: { key_name: 'test-ADMIN' } });
});

it('tells that the lease lapses before it closes its subscribers', async () => {
  const ending = await startTestService();
  const token = await ending.token('ADMIN');
  const listener = await subscribeEvents(ending.url, ['lease', 'safety'], { token });
  const stream = await openSse(ending.url, 'lease', { authorization: `Bearer ${token}` });
  const instance = randomBytes(16).toString('base64url');
  await ending.as('ADMIN', '/api/v2/lease/', { method: 'POST', body: { instance, ttl_ms: 60_000 } });
  await until('it is told', () => stream.named('message').length === 1);
  await ending.stop();
  expect(await listener.closed()).toBe(1012);
  await stream.ended();
  expect(listener.events().map(({ type }) => type)).toEqual([
    'robot.lease.acquired',
    'robot.safety.lease_lapsed',
    'robot.lease.lapsed',
  ]);
  expect(stream.named('message').map(({ type }) => type)).toEqual(['robot.lease.acquired', 'robot.lease.lapsed']);
});
