import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { http } from '../support/http.ts';
import { filled, ROUTE_CALLS } from '../support/route-calls.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The id of the host is that of one of its robots. */
let service: TestService;
beforeAll(async () => {
  const keys = [
    keyRecord('all', 'ENCHANTER'),
    keyRecord('two', 'ENCHANTER', { robots: ['robot-2'] }),
    keyRecord('host', 'ENCHANTER', { robots: ['hall'] }),
  ];
  service = await startTestService({
    settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1', SERVICE_ROBOT_ID: 'hall' },
    given: [give(keyStore, new FakeKeyStore(keys))],
  });
});
afterAll(() => service.stop());

const login = (key: string, prefix = '') =>
  http(service.url, `${prefix}/api/v2/auth/`, { headers: { 'x-api-key': `rk_${key}` } });
const ask = (path: string, token: string, method = 'GET') =>
  http(service.url, path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    ...(method === 'GET' ? {} : { body: 'x' }),
  });

describe('An API key that is limited to robots of a fleet', () => {
  it('gets tokens for these robots only, and is told where', async () => {
    expect((await login('two', '/robot-2/rest')).status).toBe(200);
    for (const prefix of ['', '/rest', '/robot-1/rest']) {
      const { status, json } = await login('two', prefix);
      expect([status, json.code]).toEqual([403, 'insufficient_access']);
      expect(json.detail).toContain('robot-2');
    }
    expect((await login('all')).status).toBe(200);
  });

  it('reaches these robots', async () => {
    const { token } = (await login('two', '/robot-2/rest')).json;
    expect((await ask('/robot-2/rest/api/v2/commands/', token)).json.code).not.toBe('insufficient_access');
    expect((await ask('/robot-2/rest/api/v2/stop', token, 'POST')).json.code).toBe('robot_unavailable');
    expect((await ask('/robot-1/rest/api/v2/commands/', token)).json.code).toBe('token_invalid');
  });

  it.each(
    ROUTE_CALLS.filter(
      ({ route }) =>
        !route.endpoint.spec.perRobot && !route.endpoint.spec.anyRobot && route.endpoint.spec.access !== 'public',
    ).map(({ method, pattern }) => [`${method} ${pattern}`, method, pattern] as const),
  )('does not reach %s of the host, whatever robot its token is for', async (_name, method, pattern) => {
    const path = filled(pattern, 'greet');
    const tokenOfTwo = (await login('two', '/robot-2/rest')).json.token;
    expect((await ask(path, tokenOfTwo, method)).status).toBe(401);
    const tokenOfHost = (await login('host', '/hall/rest')).json.token;
    for (const prefix of ['', '/rest']) {
      expect((await ask(prefix + path, tokenOfHost, method)).json.code).toBe('insufficient_access');
    }
  });

  it('reaches the list of robots with a token for any of its own, never with a forged one', async () => {
    const { token } = (await login('two', '/robot-2/rest')).json;
    const [header, payload] = token.split('.');
    expect((await ask('/api/v2/robots/', token)).json.code).toBe('robot_unavailable'); // there is no broker here
    for (const forged of [`${header}.${payload}.${'A'.repeat(86)}`, 'a.b.c', `${token}x`]) {
      expect((await ask('/api/v2/robots/', forged)).json.code).toBe('token_invalid');
    }
    expect((await ask('/robot-2/rest/api/v2/robots/', token)).json.code).toBe('component_unavailable');
  });

  it('does not keep a key without limits from the host', async () => {
    const { token } = (await login('all')).json;
    expect((await ask('/api/v2/skill/list/', token)).status).toBe(200);
    expect((await ask('/robot-2/rest/api/v2/skill/list/', token)).status).toBe(401);
  });
});
