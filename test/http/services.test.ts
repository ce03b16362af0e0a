import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvents } from '../support/events.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe.each(['v1', 'v2'])('Simulated services over %s', (version) => {
  const list = `/api/${version}/service/get_services_list`;
  const logs = `/api/${version}/service/head/robot-vision.service`;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ settings: { SERVICE_ALLOWED_UNITS: 'head=robot-*.service,absent.service' } });
  });
  afterAll(() => service.stop());

  it('are listed if allowed, and say that they are simulated', async () => {
    const { status, json } = await service.as('ADMIN', list);
    expect(status).toBe(200);
    expect(json.base).toEqual([]);
    expect(json.head.length).toBeGreaterThan(2);
    expect(json.head[0]).toEqual({
      name: 'robot-behavior.service',
      description: 'robot-behavior (simulated)',
      load_state: 'loaded',
      active_state: 'active',
      sub_state: 'running',
      enabled: true,
    });
  });

  it('have logs of the last hour, oldest first', async () => {
    const { json } = await service.as('ENCHANTER', logs);
    const times = json.entries.map(({ timestamp }: { timestamp: string }) => timestamp);
    expect(times.length).toBeGreaterThan(100);
    expect(times).toEqual([...times].sort());
    expect(times[0] >= json.since).toBe(true);
    expect(Date.now() - Date.parse(times.at(-1))).toBeLessThan(60_000);
    expect(json).toMatchObject({ system: 'head', service: 'robot-vision.service', truncated: false });
  });

  it('return the newest lines if fewer are requested', async () => {
    const { json, headers } = await service.as('ADMIN', `${logs}?lines=2`);
    expect([json.entries.length, json.truncated, headers['x-truncated']]).toEqual([2, true, 'true']);
  });

  it.each(['', '?follow=true'])('are 404 for an allowed unit that does not exist%s', async (query) => {
    const { status, json } = await service.as('ADMIN', `${logs.replace('robot-vision', 'absent')}${query}`);
    expect([status, json.code]).toEqual([404, 'not_found']);
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/html, text/*;q=0.5', 'text/plain; charset=utf-8'],
    ['application/json, text/plain', 'application/json'],
    ['text/plain;q=0.4, application/json;q=0.5', 'application/json'],
    ['text/plain;q=0', 'application/json'],
  ])('answer Accept: %s with %s', async (accept, type) => {
    const { headers } = await service.as('ADMIN', logs, accept === undefined ? {} : { headers: { accept } });
    expect(headers['content-type']).toBe(type);
    expect(headers.vary).toContain('accept');
  });

  it.each([
    'lines=0',
    'lines=10001',
    'lines=-1',
    'lines=1.5',
    'lines=',
    'lines=all',
    'follow=yes',
    'follow=2',
    'n=5',
    'since=yesterday',
    'since=2026-05-04T10:20:30',
    'since=1969-12-31T23:59:59Z',
    'until=',
    'priority=8',
    'priority=-1',
    'priority=err',
    'q=',
    'cursor=',
    'cursor=s=1',
    'cursor=--root=/',
  ])('refuse ?%s', async (query) => {
    const { status, json } = await service.as('ADMIN', `${logs}?${query}`);
    expect([status, json.code]).toEqual([422, 'validation_failed']);
    expect(json.errors[0].pointer).toBe(`query:${query.split('=')[0]}`);
  });

  it('reject "lines" together with "follow"', async () => {
    const { status, json } = await service.as('ADMIN', `${logs}?follow=true&lines=5`);
    expect([status, json.errors[0].pointer]).toEqual([422, 'query:lines']);
  });

  it('are those of a window, and what follows a cursor', async () => {
    const now = Date.now();
    const at = (ago: number) => new Date(now - ago * 1000).toISOString();
    const first = (await service.as('ADMIN', `${logs}?since=${at(60)}&until=${at(40)}`)).json;
    expect(first.entries.length).toBeGreaterThanOrEqual(10);
    for (const { timestamp } of first.entries) expect(timestamp >= at(60) && timestamp <= at(40)).toBe(true);
    const next = (await service.as('ADMIN', `${logs}?cursor=${encodeURIComponent(first.cursor)}&lines=3`)).json;
    expect([next.entries.length, next.truncated]).toEqual([3, true]);
    expect(next.entries[0].timestamp > first.entries.at(-1).timestamp).toBe(true);
    const worse = (await service.as('ADMIN', `${logs}?priority=3`)).json;
    expect([worse.entries, worse.cursor]).toEqual([[], null]);
    const { entries } = (await service.as('ADMIN', `${logs}?q=heartbeat`)).json;
    expect(new Set(entries.map(({ message }: { message: string }) => message))).toEqual(
      new Set(['simulated: heartbeat sent']),
    );
  });

  it.each([
    ['since=2026-05-04T10:20:31Z&until=2026-05-04T10:20:30Z', 'since'],
    [`since=2026-05-04T10:20:31Z&cursor=s=${'0'.repeat(32)};i=1;b=${'0'.repeat(32)};m=0;t=1;x=0`, 'since'],
    ['follow=true&since=2026-05-04T10:20:31Z', 'since'],
  ])('refuse ?%s, naming %s', async (query, name) => {
    const { status, json } = await service.as('ADMIN', `${logs}?${query}`);
    expect([status, json.errors?.[0].pointer]).toEqual([422, `query:${name}`]);
  });

  it('are restarted, but for the service itself, and active again after a while', async () => {
    const restart = (unit: string) => service.as('ADMIN', `/api/v2/service/${unit}/restart`, { method: 'POST' });
    const { status, json } = await restart('head/robot-vision.service');
    expect([status, json]).toEqual([
      202,
      { system: 'head', service: 'robot-vision.service', active_state: 'activating', sub_state: 'start' },
    ]);
    await until('it is active again', async () => {
      const { head } = (await service.as('ADMIN', list)).json;
      return head.some((unit: Record<string, string>) => unit.name === json.service && unit.active_state === 'active');
    });
    expect((await restart('head/robot-rest.service')).json.code).toBe('unit_not_allowed');
    expect((await restart('head/unknown.service')).json.code).toBe('not_found');
  });

  it('can be followed until the client disconnects', async () => {
    const client = await openEvents(`${service.url}${logs}?follow=true`, await service.token('ADMIN'));
    await until('a line came', () => client.data().length > 0);
    expect(client.data()[0]).toMatchObject({ priority: 6, message: expect.stringContaining('simulated') });
    client.leave();
    await until('the request is over', () => service.inFlight.size === 0);
  });

  it('are only accessible for ENCHANTER and ADMIN', async () => {
    for (const path of [list, logs, `${logs}?follow=true`]) {
      expect((await service.as('USER', path)).json.code).toBe('insufficient_access');
      expect((await service.as(undefined, path)).json.code).toBe('missing_token');
      expect((await service.as('ENCHANTER', list)).status).toBe(200);
    }
  });
});

describe('Without SERVICE_ALLOWED_UNITS', () => {
  it('lists the simulated units in sim mode', async () => {
    const service = await startTestService();
    const { head, base } = (await service.as('ADMIN', '/api/v2/service/get_services_list')).json;
    expect([head.length, base.length]).toEqual([4, 3]);
    const { json } = await service.as('ADMIN', '/api/v2/service/head/robot-vision.service');
    expect(json.entries.length).toBeGreaterThan(0);
    await service.stop();
  });

  it('lists no unit in robot mode, and none can be read', async () => {
    const service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: 'sim:' } });
    const { head } = (await service.as('ADMIN', '/api/v2/service/get_services_list')).json;
    expect(head.length ?? 0).toBe(0);
    const { json } = await service.as('ADMIN', '/api/v2/service/head/robot-vision.service');
    expect(json.code).toBe('unit_not_allowed');
    expect(json.detail).toContain('SERVICE_ALLOWED_UNITS');
    await service.stop();
  });
});

describe('A follower', () => {
  it('is told when the service shuts down, and does not delay that', async () => {
    const service = await startTestService({
      settings: { SERVICE_ALLOWED_UNITS: 'head=*.service' },
      limits: { drainGraceMs: 600_000, drainEndMs: 600_000 },
    });
    const url = `${service.url}/api/v2/service/head/robot-vision.service?follow=true`;
    const client = await openEvents(url, await service.token('ADMIN'));
    await service.stop();
    await until('the end is told', () => client.text().includes('event: end'));
    expect(client.data().at(-1)).toEqual({ reason: expect.stringContaining('shutting down') });
  });
});
