import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROBLEMS } from '../../functions/shared/errors.ts';
import { problemIn, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const FAST = { headersTimeoutMs: 400, requestTimeoutMs: 600, keepAliveTimeoutMs: 400, checkIntervalMs: 50 };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ limits: FAST });
});
afterAll(() => service.stop());

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
  ])('answers %s with a problem and code', async (_name, request, status, code) => {
    expect(problemIn(await rawExchange(service.url, [request]))).toEqual({
      status,
      code,
      type: 'application/problem+json',
    });
    expect(Object.keys(PROBLEMS)).toContain(code);
  });
});

describe('Invalid HTTP after a pending request', () => {
  it('closes the connection without a second response', async () => {
    const robot = await startTestService({ settings: { SERVICE_ALLOWED_UNITS: 'head=*.service' } });
    const { hostname, port } = new URL(robot.url);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    let received = '';
    socket
      .on('error', () => undefined)
      .on('data', (text: string) => {
        received += text;
      });
    const closed = once(socket, 'close');
    const token = await robot.token('ADMIN');
    socket.write(
      `GET /api/v2/service/head/robot-vision.service?follow=true HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.write('HELLO ROBOT\r\n\r\n');
    await closed;
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
    await robot.stop();
  });
});

describe('Slow clients', () => {
  it.each<[string, string[]]>([
    ['says nothing', []],
    ['never ends its headers', ['GET /status HTTP/1.1\r\nhost: localhost\r\n']],
  ])('disconnects a client that %s, with an error', async (_name, chunks) => {
    expect(problemIn(await rawExchange(service.url, chunks))).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('disconnects a client that never ends its body, with an error', async () => {
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${await service.token('USER')}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`;
    expect(problemIn(await rawExchange(service.url, [head]))).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('closes an idle connection after the keep-alive timeout', async () => {
    expect(await rawExchange(service.url, ['GET /status HTTP/1.1\r\nhost: localhost\r\n\r\n'])).toMatch(
      /^HTTP\/1\.1 200/,
    );
  });
});
