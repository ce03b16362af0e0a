import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http, problemIn, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MEBIBYTE = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('Bodies', () => {
  const command = { command: 'sound_level', value: 10 };

  it('are not read before the caller is authenticated', async () => {
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
  ])('reject %s with its cause', async (_name, headers, body, status, code) => {
    const answer = await service.as('USER', '/api/v1/int/', { method: 'POST', headers, body });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('are malformed if not UTF-8, or if a multi-byte character is cut off', async () => {
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

  it.each([
    ['a command', '/api/v1/int/', command, MEBIBYTE / 4],
    ['another request', '/api/v2/volume/', { percentage: { value: 10 } }, MEBIBYTE],
  ])('accept %s up to its size limit, and reject one byte more by Content-Length', async (...args) => {
    const [, path, content, most] = args;
    const headers = { 'content-type': 'application/json' };
    const send = (size: number) =>
      service.as('USER', path, { method: 'POST', headers, body: JSON.stringify(content).padEnd(size, ' ') });
    expect((await send(most)).status).toBe(200);
    const over = await send(most + 1);
    expect([over.status, over.json.code, over.json.detail]).toEqual([
      413,
      'too_large',
      `The body of this request may have at most ${most} bytes. Send less, or in several requests.`,
    ]);
  });

  it('have the limit SERVICE_COMMAND_BODY_MAX for commands', async () => {
    const small = await startTestService({ settings: { SERVICE_COMMAND_BODY_MAX: '1024' } });
    const send = (size: number) =>
      small.as('USER', '/api/v1/int/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command).padEnd(size, ' '),
      });
    expect([(await send(1024)).status, (await send(1025)).status]).toEqual([200, 413]);
    await small.stop();
  });

  it('of unknown length are rejected while being read', async () => {
    const token = await service.token('USER');
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
    const raw = await rawExchange(service.url, [head, ...Array<string>(8).fill(chunk), '0\r\n\r\n']);
    expect(problemIn(raw)).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('without any chunk are empty', async () => {
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${await service.token('USER')}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
    const empty = await rawExchange(service.url, [`${head}0\r\n\r\n`]);
    expect(problemIn(empty)).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it('are only requested with 100 Continue if they will be read', async () => {
    const expectation =
      'expect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 5\r\nconnection: close\r\n\r\n';
    const refused = await rawExchange(service.url, [`POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\n${expectation}`]);
    expect(refused).toMatch(/^HTTP\/1\.1 401/);
    const body = JSON.stringify(command);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      expect: '100-continue',
    };
    const token = await service.token('USER');
    const sent = request(`${service.url}/api/v1/int/`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end(body);
    const [answer] = await once(sent, 'response');
    expect(answer.resume().statusCode).toBe(200);
  });
});
