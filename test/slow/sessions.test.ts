import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { keyStore, tokens } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { openEvents } from '../support/events.ts';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const HOUR_MS = 3_600_000;
const REFRESH = '/api/v2/auth/refresh/';

let services: TestService[];
let now: number;
let keys: FakeKeyStore;
beforeEach(() => {
  services = [];
  now = Date.now();
  keys = new FakeKeyStore([keyRecord('k1', 'ADMIN')]);
});
afterEach(() => Promise.all(services.map((service) => service.stop())));

async function start(settings: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService({ settings, clock: () => now, given: [give(keyStore, keys)] });
  services.push(service);
  return service;
}

const login = ({ url }: TestService) => http(url, '/api/v2/auth/', { headers: { 'x-api-key': 'rk_k1' } });
const get = ({ url }: TestService, token: string, path: string) =>
  http(url, path, { headers: { authorization: `Bearer ${token}` } });

describe('SERVICE_SESSION_MAX_HOURS', () => {
  it('ends a session however often its token is refreshed, also over a restart', async () => {
    const settings = { HOME: temporaryFolder(), SERVICE_SESSION_MAX_HOURS: '2' };
    let service = await start(settings);
    const first = (await login(service)).json;
    const began = decodeJwt(first.token).auth_time ?? 0;
    expect(first.expires_in).toBe(1800);
    let { token } = first;
    for (let round = 1; round <= 4; round += 1) {
      now += 29 * 60_000;
      if (round === 2) {
        await services.pop()?.stop();
        service = await start(settings);
      }
      const { status, json } = await get(service, token, REFRESH);
      const left = 7200 - round * 29 * 60;
      expect([status, json.expires_in]).toEqual([200, Math.min(1800, left)]);
      expect(Date.parse(json.expires_at)).toBe(Number(decodeJwt(json.token).exp) * 1000);
      expect(decodeJwt(json.token).auth_time).toBe(began);
      token = json.token;
    }
    now += 4 * 60_000 + 6_000;
    expect((await get(service, token, REFRESH)).json.code).toBe('token_expired');
    expect(
      (await http(service.url, '/api/v2/stop', { method: 'POST', headers: { authorization: `Bearer ${token}` } }))
        .status,
    ).toBe(200);
    expect((await login(service)).json.expires_in).toBe(1800);
  });

  it('lets every valid token be refreshed, in the tolerance after the end of the session too', async () => {
    const service = await start({ SERVICE_SESSION_MAX_HOURS: '1' });
    let { token } = (await login(service)).json;
    for (let minute = 20; minute <= 60; minute += 20) {
      now += 20 * 60_000;
      const { status, json } = await get(service, token, REFRESH);
      expect([status, json.expires_in]).toEqual([200, minute === 60 ? 0 : Math.min(1800, (60 - minute) * 60)]);
      token = json.token;
    }
    now += 6_000;
    expect((await get(service, token, REFRESH)).json.code).toBe('token_expired');
  });

  it('is off by default: tokens carry no auth_time and sessions never end', async () => {
    const service = await start();
    let { token } = (await login(service)).json;
    for (let round = 0; round < 400; round += 1) {
      now += 29 * 60_000;
      token = (await get(service, token, REFRESH)).json.token;
    }
    expect(decodeJwt(token).auth_time).toBeUndefined();
    expect((await get(service, token, '/api/v2/commands/')).status).toBe(200);
  });
});

describe('A clock that is set', () => {
  it('back ends the tokens from before, until it gets there again', async () => {
    const service = await start();
    const { token } = (await login(service)).json;
    now -= HOUR_MS;
    expect((await get(service, token, '/api/v2/commands/')).json).toMatchObject({
      code: 'token_invalid',
      detail: expect.stringContaining('the clock of this machine was set back'),
    });
    expect((await get(service, (await login(service)).json.token, '/api/v2/commands/')).status).toBe(200);
    now += HOUR_MS;
    expect((await get(service, token, '/api/v2/commands/')).status).toBe(200);
  });

  it('forward ends them for good', async () => {
    const service = await start();
    const { token } = (await login(service)).json;
    now += HOUR_MS;
    expect((await get(service, token, '/api/v2/commands/')).json.code).toBe('token_expired');
  });
});

describe('A followed log ends', () => {
  const ENDS: Record<string, (service: TestService, token: string) => unknown> = {
    'with its token': () => {
      now += 1800_000;
    },
    'with the session': (service, token) =>
      http(service.url, '/api/v2/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${token}` } }),
    'with the API key': () => {
      keys.records = [keyRecord('k1', 'ADMIN', { revoked_at: '2027-01-01T00:00:00Z' })];
    },
    'with the level of the API key': () => {
      keys.records = [keyRecord('k1', 'USER')];
    },
    'when the clock is set back': () => {
      now -= HOUR_MS;
    },
  };

  it.each(Object.entries(ENDS))(
    '%s',
    async (name, end) => {
      const service = await start({ SERVICE_ALLOWED_UNITS: 'head=robot-*.service' });
      const { token } = (await login(service)).json;
      const url = `${service.url}/api/v2/service/head/robot-vision.service?follow=true`;
      const client = await openEvents(url, token);
      const other = await openEvents(url, await service.token('ADMIN'));
      expect(client.status).toBe(200);
      await end(service, token);
      await until('it has ended', () => client.text().includes('event: end'), 20_000);
      expect(client.text()).toMatch(/event: end\ndata: \{"reason":"[^"]*(token|session|key)[^"]*"\}/);
      if (name.startsWith('with the')) expect(other.text()).not.toContain('event: end');
      other.leave();
    },
    30_000,
  );

  it('not before', async () => {
    const service = await start({ SERVICE_ALLOWED_UNITS: 'head=robot-*.service' });
    const client = await openEvents(
      `${service.url}/api/v2/service/head/robot-vision.service?follow=true`,
      (await login(service)).json.token,
    );
    const checks = jest.spyOn(await service.ports.get(tokens), 'verify');
    await until(
      'it was looked at three times',
      () => checks.mock.calls.filter(([, use]) => use === 'stream').length >= 3,
    );
    expect(client.text()).not.toContain('event: end');
    client.leave();
  });
});
