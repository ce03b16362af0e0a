import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { type HttpCall, http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const BOOL = '/api/v1/bool/';
const AVOID = { command: 'set_obstacle_avoidance', value: true };

let service: TestService;
let now: number;
beforeEach(() => {
  now = Date.now();
});
afterEach(() => service.stop());

async function start(settings: Record<string, string> = {}): Promise<void> {
  const keys = new FakeKeyStore([keyRecord('k1', 'ADMIN')]);
  service = await startTestService({ settings, clock: () => now, given: [give(keyStore, keys)] });
}

const login = async (): Promise<string> =>
  (await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': 'rk_k1' } })).json.token;

const send = (token: string, path = BOOL, call: HttpCall = { method: 'POST', body: AVOID }, base = service.url) =>
  http(base, path, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } });

async function renewedBy(...[token, path, call, base]: Parameters<typeof send>): Promise<string | undefined> {
  const { status, headers } = await send(token, path, call, base);
  expect(status).toBe(200);
  const { authorization } = headers;
  expect(authorization === undefined || /^Bearer [\w.-]+$/.test(String(authorization))).toBe(true);
  return authorization === undefined ? undefined : String(authorization).slice(7);
}

describe('The answer to a command of v1', () => {
  it('carries a newer token when less than 10 minutes of the present one are left', async () => {
    await start();
    const token = await login();
    now += 19 * MINUTE_MS;
    expect(await renewedBy(token)).toBeUndefined();
    now += 2 * MINUTE_MS;
    const newer = (await renewedBy(token)) ?? '';
    const [before, after] = [decodeJwt(token), decodeJwt(newer)];
    expect(after.exp).toBe(Math.floor(now / 1000) + 1800);
    for (const claim of ['client_id', 'key_id', 'access_level', 'mediamtx_permissions'])
      expect(after[claim]).toEqual(before[claim]);
    expect(await renewedBy(newer)).toBeUndefined();
    expect(await renewedBy(token, '/api/v1/get/get_pose', {})).toBe(newer); // not another signature for each answer
    expect(await renewedBy(token, '/rest/api/v1/get/get_pose', {})).toBe(newer);
    now += 30 * MINUTE_MS - 1_000;
    expect((await send(newer)).status).toBe(200);
  });

  it('carries none in v2, on other routes, and with an error', async () => {
    await start();
    const token = await login();
    now += 21 * MINUTE_MS;
    expect(await renewedBy(token, '/api/v2/bool/')).toBeUndefined();
    expect(await renewedBy(token, '/api/v1/volume/', {})).toBeUndefined();
    expect(await renewedBy(token, '/api/v1/stop', { method: 'POST' })).toBeUndefined();
    const refused = await send(token, BOOL, { method: 'POST', body: { command: 'no_such', value: true } });
    expect([refused.status, refused.headers.authorization]).toEqual([404, undefined]);
    now += 10 * MINUTE_MS;
    const ended = await send(token);
    expect([ended.status, ended.headers.authorization]).toEqual([401, undefined]);
    const stopped = await send(token, '/api/v1/stop', { method: 'POST' });
    expect([stopped.status, stopped.headers.authorization]).toEqual([200, undefined]);
  });

  it('carries none that would last no longer, since the session ends', async () => {
    await start({ SERVICE_SESSION_MAX_HOURS: '1' });
    let token = await login();
    const sessionEnd = (decodeJwt(token).auth_time as number) + 3600;
    now += 25 * MINUTE_MS;
    token = (await renewedBy(token)) ?? '';
    now += 25 * MINUTE_MS;
    token = (await renewedBy(token)) ?? '';
    expect(decodeJwt(token).exp).toBe(sessionEnd);
    now += 5 * MINUTE_MS;
    expect(await renewedBy(token)).toBeUndefined();
  });

  it('renews a token of the Unix socket over the socket only', async () => {
    await start();
    const { token } = (await http(service.socketPath, '/api/v2/auth/')).json;
    now += 25 * MINUTE_MS;
    expect(await renewedBy(token)).toBeUndefined();
    expect(await renewedBy(token, BOOL, undefined, service.socketPath)).toBeDefined();
  });

  it('carries none after a logout that came while the command waited', async () => {
    await start();
    const token = await login();
    now += 25 * MINUTE_MS;
    const called = await send(token, '/api/v1/dict/', {
      method: 'POST',
      body: { command: 'skill', value: { name: 'wait', seconds: 1 } },
    });
    const waiting = send(token, '/api/v1/str/', {
      method: 'POST',
      body: { command: 'wait_for_skill', value: called.json.result.msg },
    });
    expect((await send(token, '/api/v2/auth/logout', { method: 'POST' })).status).toBe(200);
    const { status, headers } = await waiting;
    expect([status, headers.authorization]).toEqual([200, undefined]);
  });

  it('can be read by pages of allowed origins', async () => {
    await start({ SERVICE_CORS_ORIGINS: 'https://console.example' });
    const token = await login();
    now += 25 * MINUTE_MS;
    const headers = { origin: 'https://console.example' };
    const answer = await send(token, BOOL, { method: 'POST', body: AVOID, headers });
    expect(answer.headers.authorization).toBeDefined();
    expect(answer.headers['access-control-expose-headers']).toContain('Authorization');
  });
});
