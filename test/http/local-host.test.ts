import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http, problemIn, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('Paths', () => {
  it.each(['/status', '/status/', '/rest/status', '/rest/status/'])('serves %s', async (path) => {
    expect((await http(service.url, path)).json).toMatchObject({ status: 'ok', robot: 'connected' });
  });

  it.each([
    '/',
    '/rest',
    '/nothing',
    '/api/v3/commands/',
    '/api/v1',
    '//status',
    '/rest/rest/status',
    '/status/%zz',
    '/api/v1/auth/refresh/',
    '/api/v1/commands/get_pose/',
  ])('answers %s with a 404 problem', async (path) => {
    const answer = await http(service.url, path);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ code: 'not_found', status: 404, request_id: answer.headers['x-request-id'] });
  });

  it('answers a wrong method with 405 and the allowed methods', async () => {
    const answer = await http(service.url, '/api/v1/int/', { method: 'DELETE' });
    expect([answer.status, answer.headers.allow, answer.json.code]).toEqual([405, 'POST', 'method_not_allowed']);
  });

  it.each(['OPTIONS', 'TRACE', 'PROPFIND'])('never runs a route for %s', async (method) => {
    const answer = await http(service.url, '/api/v1/get/exit_arms_collision', { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });

  it('treats the absolute form without a path as the root, which has no route', async () => {
    const answer = await rawExchange(service.url, [
      'GET http://localhost HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    ]);
    expect(problemIn(answer)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('accepts the absolute form of the request target, and checks its host', async () => {
    const good = await rawExchange(service.url, [
      'GET http://localhost/status HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    ]);
    expect(good).toMatch(/^HTTP\/1\.1 200/);
    const bad = await rawExchange(service.url, [
      'GET http://evil.example/status HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    ]);
    expect(problemIn(bad)).toMatchObject({ status: 421, code: 'host_not_allowed' });
  });
});

describe('HEAD', () => {
  it('returns the headers of a GET without its body', async () => {
    const [get, head] = [
      await http(service.url, '/openapi.json'),
      await http(service.url, '/openapi.json', { method: 'HEAD' }),
    ];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it.each([
    '/api/v1/commands/',
    '/api/v2/database/read/?tablename=tts_table',
    '/api/v2/volume/',
    '/api/v2/lease/',
    '/metrics',
  ])('is answered as GET is at %s', async (path) => {
    const [get, head] = [await service.as('ENCHANTER', path), await service.as('ENCHANTER', path, { method: 'HEAD' })];
    expect([head.status, head.headers['content-type'], head.text]).toEqual([200, get.headers['content-type'], '']);
  });

  it.each(['/api/v2/auth/', '/api/v2/auth/refresh/', '/api/v1/clear_database', '/api/v1/get/cancel_client_missions'])(
    'is not run where GET may have an effect, at %s',
    async (path) => {
      const { status, headers } = await service.as('ENCHANTER', path, { method: 'HEAD' });
      expect([status, headers.allow]).toEqual([405, 'GET']);
    },
  );
});

describe('The Host header', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8000',
    '[::1]:8000',
    '192.168.1.20',
    'localhost',
    'LOCALHOST:1',
    'robot.local',
    'robot.lan',
    'r.home.arpa',
  ])('accepts %s', async (host) => {
    expect((await http(service.url, '/status', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:8000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'robot.local.evil.example',
  ])('rejects %s and names the setting', async (host) => {
    const answer = await http(service.url, '/status', { headers: { host } });
    expect([answer.status, answer.json.code]).toEqual([421, 'host_not_allowed']);
    expect(answer.json.detail).toContain('SERVICE_ALLOWED_HOSTS');
  });

  it('must be present once and be valid', async () => {
    const none = await rawExchange(service.url, ['GET /status HTTP/1.1\r\nconnection: close\r\n\r\n']);
    const two = await rawExchange(service.url, [
      'GET /status HTTP/1.1\r\nhost: localhost\r\nhost: evil\r\nconnection: close\r\n\r\n',
    ]);
    const odd = await rawExchange(service.url, [
      'GET /status HTTP/1.1\r\nhost: a@localhost\r\nconnection: close\r\n\r\n',
    ]);
    for (const raw of [none, two, odd]) expect(problemIn(raw)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('is checked before the route', async () => {
    expect((await http(service.url, '/nothing', { headers: { host: 'evil.example' } })).status).toBe(421);
  });

  it('is ignored over the Unix socket', async () => {
    expect((await http(service.socketPath, '/status', { headers: { host: 'anything.example' } })).status).toBe(200);
  });

  it('may have any value with SERVICE_ALLOWED_HOSTS=*', async () => {
    const open = await startTestService({ settings: { SERVICE_ALLOWED_HOSTS: '*' } });
    expect((await http(open.url, '/status', { headers: { host: 'evil.example' } })).status).toBe(200);
    await open.stop();
  });
});

describe('CORS', () => {
  it('is off unless an origin is listed', async () => {
    const answer = await http(service.url, '/status', { headers: { origin: 'https://app.example' } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  describe('with a listed origin', () => {
    let open: TestService;
    beforeAll(async () => {
      open = await startTestService({ settings: { SERVICE_CORS_ORIGINS: 'https://app.example, https://two.example' } });
    });
    afterAll(() => open.stop());

    it('lets its pages read the Authorization header, even of errors', async () => {
      for (const path of ['/status', '/nothing']) {
        const { headers } = await http(open.url, path, { headers: { origin: 'https://app.example' } });
        expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example', vary: 'Origin' });
        expect(headers['access-control-expose-headers']).toContain('Authorization');
      }
    });

    it('answers a preflight without running the route', async () => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
      const answer = await http(open.url, '/api/v2/stop', { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-methods']).toBe('POST');
    });

    it('grants nothing to other origins', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const answer = await http(open.url, '/api/v2/stop', { method: 'OPTIONS', headers });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([405, undefined]);
    });
  });
});

describe('Request ids', () => {
  it('are adopted if well formed', async () => {
    const answer = await http(service.url, '/nothing', { headers: { 'x-request-id': 'client-4711-abc' } });
    expect([answer.headers['x-request-id'], answer.json.request_id]).toEqual(['client-4711-abc', 'client-4711-abc']);
  });

  it.each(['short', 'a b c d e f g', 'x'.repeat(200), '"injected":"1"'])('are generated instead of %s', async (id) => {
    const answer = await http(service.url, '/status', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('Prefetch', () => {
  it.each(['/api/v2/auth/', '/api/v1/get/exit_arms_collision'])(
    '%s does not run for a guess of the browser',
    async (path) => {
      const answer = await service.as('ENCHANTER', path, {
        headers: { 'sec-purpose': 'prefetch;prerender', 'x-api-key': 'x' },
      });
      expect([401, 403]).toContain(answer.status);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );
});
