import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROBLEMS } from '../../functions/shared/errors.ts';
import { http, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MEBIBYTE = 1024 * 1024;
const FAST = { headersTimeout: 400, requestTimeout: 600, keepAliveTimeout: 400, checkInterval: 50 };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ limits: FAST });
});
afterAll(() => service.stop());

function problemIn(raw: string): { status: number; code: string; type: string | undefined } {
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    code: (JSON.parse(body) as { code: string }).code,
    type: /content-type: (\S+)/i.exec(head)?.[1],
  };
}

describe('Paths', () => {
  it.each(['/status', '/status/', '/rest/status', '/rest/status/'])('%s answers', async (path) => {
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
  ])('%s is a 404 problem', async (path) => {
    const answer = await http(service.url, path);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ code: 'not_found', status: 404, request_id: answer.headers['x-request-id'] });
  });

  it('a known path with a wrong method is 405 and says which methods it has', async () => {
    const answer = await http(service.url, '/api/v1/int/', { method: 'DELETE' });
    expect([answer.status, answer.headers.allow, answer.json.code]).toEqual([405, 'POST', 'method_not_allowed']);
  });

  it.each(['OPTIONS', 'TRACE', 'PROPFIND'])('%s never runs a route', async (method) => {
    const answer = await http(service.url, '/api/v1/get/exit_arms_collision', { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });

  it('takes the absolute form of the request target, and checks the host in it', async () => {
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
  it('answers the headers of a safe GET without a body', async () => {
    const [get, head] = [
      await http(service.url, '/openapi.json'),
      await http(service.url, '/openapi.json', { method: 'HEAD' }),
    ];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('is refused where a GET may have an effect', async () => {
    const token = { authorization: `Bearer ${await service.token('ENCHANTER')}` };
    for (const path of ['/api/v2/auth/', '/api/v1/get/cancel_client_missions', '/api/v1/commands/']) {
      const answer = await http(service.url, path, { method: 'HEAD', headers: token });
      expect([path, answer.status]).toEqual([path, 405]);
    }
  });
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
  ])('%s is one of ours', async (host) => {
    expect((await http(service.url, '/status', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:8000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'robot.local.evil.example',
  ])('%s is refused and the answer names the setting', async (host) => {
    const answer = await http(service.url, '/status', { headers: { host } });
    expect([answer.status, answer.json.code]).toEqual([421, 'host_not_allowed']);
    expect(answer.json.detail).toContain('SERVICE_ALLOWED_HOSTS');
  });

  it('must be there, once, and be one', async () => {
    const none = await rawExchange(service.url, ['GET /status HTTP/1.1\r\nconnection: close\r\n\r\n']);
    const two = await rawExchange(service.url, [
      'GET /status HTTP/1.1\r\nhost: localhost\r\nhost: evil\r\nconnection: close\r\n\r\n',
    ]);
    const odd = await rawExchange(service.url, [
      'GET /status HTTP/1.1\r\nhost: a@localhost\r\nconnection: close\r\n\r\n',
    ]);
    for (const raw of [none, two, odd]) expect(problemIn(raw)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('is decided before the route', async () => {
    expect((await http(service.url, '/nothing', { headers: { host: 'evil.example' } })).status).toBe(421);
  });

  it('does not matter over the Unix socket', async () => {
    expect((await http(service.socketPath, '/status', { headers: { host: 'anything.example' } })).status).toBe(200);
  });

  it('may be any name with SERVICE_ALLOWED_HOSTS=*', async () => {
    const open = await startTestService({ settings: { SERVICE_ALLOWED_HOSTS: '*' } });
    expect((await http(open.url, '/status', { headers: { host: 'evil.example' } })).status).toBe(200);
    await open.stop();
  });
});

describe('Bodies', () => {
  const command = { command: 'sound_level', value: 10 };

  it('is not even read before the caller is known', async () => {
    const answer = await http(service.url, '/api/v1/int/', {
      method: 'POST',
      body: '{broken',
      headers: { 'content-type': 'text/plain' },
    });
    expect([answer.status, answer.json.code]).toEqual([401, 'missing_token']);
  });

  it.each<[string, Record<string, string>, string, number, string]>([
    ['a form post of a web page', { 'content-type': 'text/plain' }, '{}', 415, 'unsupported_media_type'],
    [
      'a urlencoded form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'a=1',
      415,
      'unsupported_media_type',
    ],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, '{}', 415, 'unsupported_media_type'],
    [
      'a compressed body',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      '{}',
      415,
      'unsupported_media_type',
    ],
    ['no body', {}, '', 400, 'malformed_json'],
    [
      'broken JSON',
      { 'content-type': 'application/json' },
      '{"command": "sound_level", "value": }',
      400,
      'malformed_json',
    ],
    ['another shape', { 'content-type': 'application/json' }, '[]', 422, 'validation_failed'],
    ['a literal', { 'content-type': 'application/json' }, 'null', 422, 'validation_failed'],
    [
      'deep nesting',
      { 'content-type': 'application/json' },
      `{"command":"x","value":${'['.repeat(5e4)}${']'.repeat(5e4)}}`,
      422,
      'validation_failed',
    ],
    [
      'a poisoned member',
      { 'content-type': 'application/json' },
      '{"command":"sound_level","value":1,"__proto__":{"x":1}}',
      422,
      'validation_failed',
    ],
  ])('%s is refused by its cause', async (_name, headers, body, status, code) => {
    const answer = await service.as('USER', '/api/v1/int/', { method: 'POST', headers, body });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('that is not UTF-8 is malformed, and so is a cut-off multi-byte character', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.concat([
      Buffer.from('{"command":"sound_level","value":"'),
      Buffer.from([0xc3]),
      Buffer.from('"}'),
    ]);
    const answer = await service.as('USER', '/api/v1/int/', { method: 'POST', headers, body });
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_json']);
  });

  it.each(['APPLICATION/JSON', 'application/json;charset=UTF-8', 'Application/Json; charset="utf-8"'])(
    '%s is JSON',
    async (type) => {
      const headers = { 'content-type': type };
      const answer = await service.as('USER', '/api/v1/int/', {
        method: 'POST',
        headers,
        body: JSON.stringify(command),
      });
      expect(answer.status).toBe(200);
    },
  );

  it('of exactly 1 MiB is read, one byte more is refused from its Content-Length', async () => {
    const padded = (size: number) => JSON.stringify(command).padEnd(size, ' ');
    const headers = { 'content-type': 'application/json' };
    expect((await service.as('USER', '/api/v1/int/', { method: 'POST', headers, body: padded(MEBIBYTE) })).status).toBe(
      200,
    );
    const over = await service.as('USER', '/api/v1/int/', { method: 'POST', headers, body: padded(MEBIBYTE + 1) });
    expect([over.status, over.json.code]).toEqual([413, 'too_large']);
  });

  it('of unknown length is refused while it is being read', async () => {
    const token = await service.token('USER');
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
    const raw = await rawExchange(service.url, [head, ...Array<string>(8).fill(chunk), '0\r\n\r\n']);
    expect(problemIn(raw)).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('is asked for with 100 Continue only when it will be read', async () => {
    const expectation =
      'expect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 5\r\nconnection: close\r\n\r\n';
    const refused = await rawExchange(service.url, [`POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\n${expectation}`]);
    expect(refused).toMatch(/^HTTP\/1\.1 401/);
  });
});

describe('Malformed and oversized HTTP', () => {
  it.each<[string, string, number, string]>([
    ['no HTTP at all', 'HELLO ROBOT\r\n\r\n', 400, 'bad_request'],
    ['an unknown method', 'FETCH /status HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'bad_request'],
    [
      'both lengths',
      'POST /status HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'two lengths',
      'POST /status HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc',
      400,
      'bad_request',
    ],
    ['a line feed in a header', 'GET /status HTTP/1.1\r\nhost: localhost\r\nx: a\nb\r\n\r\n', 400, 'bad_request'],
    ['a CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n', 400, 'bad_request'],
    ['an asterisk target', 'OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', 400, 'bad_request'],
    [
      'a long target',
      `GET /${'a'.repeat(9000)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      414,
      'uri_too_long',
    ],
    [
      'a large header',
      `GET /status HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(17_000)}\r\nconnection: close\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a huge header',
      `GET /status HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(200_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a flood of headers',
      `GET /status HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(300)}connection: close\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two tokens',
      'GET /status HTTP/1.1\r\nhost: localhost\r\nauthorization: a\r\nauthorization: b\r\nconnection: close\r\n\r\n',
      400,
      'bad_request',
    ],
  ])('%s is a problem with a code', async (_name, request, status, code) => {
    expect(problemIn(await rawExchange(service.url, [request]))).toEqual({
      status,
      code,
      type: 'application/problem+json',
    });
    expect(Object.keys(PROBLEMS)).toContain(code);
  });
});

describe('Slow clients', () => {
  it.each<[string, string[]]>([
    ['says nothing', []],
    ['never ends its headers', ['GET /status HTTP/1.1\r\nhost: localhost\r\n']],
  ])('one that %s is told so and cut off', async (_name, chunks) => {
    expect(problemIn(await rawExchange(service.url, chunks))).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('one that never ends its body is told so and cut off', async () => {
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${await service.token('USER')}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`;
    expect(problemIn(await rawExchange(service.url, [head]))).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('one that keeps an idle connection is cut off after its answer', async () => {
    expect(await rawExchange(service.url, ['GET /status HTTP/1.1\r\nhost: localhost\r\n\r\n'])).toMatch(
      /^HTTP\/1\.1 200/,
    );
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

    it('lets a page of it read the Authorization header, of errors too', async () => {
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

    it('tells another origin nothing', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const answer = await http(open.url, '/api/v2/stop', { method: 'OPTIONS', headers });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([405, undefined]);
    });
  });
});

describe('Request ids', () => {
  it('are taken over when well formed', async () => {
    const answer = await http(service.url, '/nothing', { headers: { 'x-request-id': 'client-4711-abc' } });
    expect([answer.headers['x-request-id'], answer.json.request_id]).toEqual(['client-4711-abc', 'client-4711-abc']);
  });

  it.each(['short', 'a b c d e f g', 'x'.repeat(200), '"injected":"1"'])('are made anew instead of %s', async (id) => {
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
