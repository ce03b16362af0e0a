import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemIn, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_CORS_ORIGINS: 'https://app.example' } });
});
afterAll(() => service.stop());

describe('JSON', () => {
  const body = JSON.stringify({ command: 'sound_level', value: 10 });

  it.each<[string, string, string | Buffer]>([
    ['charset=utf8', 'application/json; charset=utf8', body],
    ['charset="UTF8"', 'application/json;charset="UTF8"', body],
    ['a byte order mark', 'application/json', `\ufeff${body}`],
    ['an empty parameter', 'application/json;', body],
    ['empty parameters around charset', 'application/json ; ;charset=utf-8; ;', body],
  ])('is accepted with %s', async (_what, type, sent) => {
    const headers = { 'content-type': type };
    expect((await service.as('USER', '/api/v2/int/', { method: 'POST', headers, body: sent })).status).toBe(200);
  });

  it.each([
    ['two byte order marks', 'application/json', `\ufeff\ufeff${body}`, 400],
    ['nothing but a byte order mark', 'application/json', '\ufeff', 400],
    ['another charset', 'application/json; charset=utf16', body, 415],
    ['an unknown parameter', 'application/json; foo=bar', body, 415],
  ])('is refused with %s', async (_what, type, sent, status) => {
    const headers = { 'content-type': type };
    expect((await service.as('USER', '/api/v2/int/', { method: 'POST', headers, body: sent })).status).toBe(status);
  });
});

describe('A media type that is refused', () => {
  const body = JSON.stringify({ command: 'sound_level', value: 10 });

  it.each([
    ['application/json; foo=bar', 'Leave out the parameter "foo" of Content-Type'],
    ['application/json; charset=utf-8; x="y"', 'Leave out the parameter "x" of Content-Type'],
    ['application/json; charset=utf16', 'Send the body in UTF-8'],
    ['application/json charset=utf-8', 'Content-Type: application/json'],
    ['application/json; charset=utf-8 charset=utf-8', 'Send the body in UTF-8'],
    ['text/plain', 'Content-Type: application/json'],
  ])('says how to mend %s', async (type, expected) => {
    const headers = { 'content-type': type };
    const { status, json } = await service.as('USER', '/api/v2/int/', { method: 'POST', headers, body });
    expect([status, json.code]).toEqual([415, 'unsupported_media_type']);
    expect(json.detail).toContain(expected);
  });
});

describe('A JSON member that comes twice', () => {
  it.each<[string, string, string, string]>([
    ['POST', '/api/v2/commands/sound_level/', '{"value":1,"value":2}', '/value'],
    ['POST', '/api/v1/int/', '{"command":"sound_level","value":1,"\\u0076alue":1}', '/value'],
    ['POST', '/api/v2/commands/skill/', '{"value":{"name":"wave","list":[{"a":1,"a":1}]}}', '/value/list/0/a'],
    ['POST', '/api/v2/volume/', '{"percentage":{"value":1,"value":2}}', '/percentage/value'],
  ])('is refused by %s %s with %s', async (method, path, sent, pointer) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await service.as('ENCHANTER', path, { method, headers, body: sent });
    expect([status, json.code]).toEqual([422, 'validation_failed']);
    expect(json.errors).toEqual([{ pointer, message: 'This member is in its object more than once; send it once.' }]);
    expect(json.detail).toContain(`(${pointer})`);
  });

  it('is refused in a query parameter as well', async () => {
    const data = encodeURIComponent('{"tablename":"robots_table","item":{"id":1,"id":2}}');
    const { status, json } = await service.as('USER', `/api/v2/database/read_item/?data=${data}`);
    expect(status).toBe(422);
    expect(json.errors[0].message).toContain('more than once');
  });
});

describe('A request line', () => {
  it.each([
    ['a fragment', 'GET /status#top HTTP/1.1'],
    ['a fragment behind a query', 'GET /status?_=1#top HTTP/1.1'],
    ['two spaces', 'GET  /status HTTP/1.1'],
    ['two spaces behind the target', 'GET /status  HTTP/1.1'],
  ])('with %s is refused', async (_what, line) => {
    const raw = await rawExchange(service.url, [`${line}\r\nhost: localhost\r\nconnection: close\r\n\r\n`]);
    expect(problemIn(raw)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  const HEAD = 'host: localhost\r\ncontent-type: application/json\r\n';
  const LAST = `GET /status HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`;

  it.each<[string, number[], string[]]>([
    [
      'behind another',
      [200, 400],
      [`GET /status HTTP/1.1\r\n${HEAD}\r\nGET  /status HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`],
    ],
    ['before its like', [400, 200], [`GET  /health/live HTTP/1.1\r\n${HEAD}\r\n${LAST}`]],
    ['that comes in pieces', [200], ['GET /sta', 'tus HTTP/1.1\r\n', `${HEAD}connection: close\r\n\r\n`]],
    [
      'after a body that looks like one',
      [401, 200],
      [`POST /api/v1/int/ HTTP/1.1\r\n${HEAD}content-length: 25\r\n\r\n`, `GET  /status HTTP/1.1\r\nx:${LAST}`],
    ],
  ])('is judged by itself %s', async (_what, statuses, chunks) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
    let raw = '';
    socket.on('data', (text: string) => {
      raw += text;
    });
    for (const chunk of chunks) {
      socket.write(chunk);
      await sleep(50);
    }
    if (!socket.closed) await once(socket, 'close');
    expect([...raw.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))).toEqual(statuses);
  });
});

describe('Pages of listed origins', () => {
  it('may read why a request was refused and which part of a file came', async () => {
    const { headers } = await service.as(undefined, '/status', { headers: { origin: 'https://app.example' } });
    expect(String(headers['access-control-expose-headers']).split(/, */)).toEqual(
      expect.arrayContaining(['Content-Range', 'WWW-Authenticate']),
    );
  });
});
