import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange } from '../../support/http.ts';
import { rawAnswers } from '../../support/raw-answers.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const QUICK = {
  headersTimeoutMs: 400,
  requestTimeoutMs: 600,
  keepAliveTimeoutMs: 300,
  checkIntervalMs: 50,
  lingerTimeoutMs: 300,
};
const LAST = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
/** What an attacker would like to see answered: were it taken for a request, it would be a 404. */
const INNER = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n';

let service: TestService;
let authorization: string;
beforeAll(async () => {
  service = await startTestService({ limits: QUICK });
  authorization = `authorization: Bearer ${await service.token('USER')}`;
});
afterAll(() => service.stop());

const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe('A request of ambiguous length is rejected and its connection closed:', () => {
  it.each<[string, string, string]>([
    ['both lengths', `content-length: 5\r\ntransfer-encoding: chunked`, chunked(INNER)],
    ['both lengths, the other way round', `transfer-encoding: chunked\r\ncontent-length: 5`, chunked(INNER)],
    ['two different lengths', `content-length: 5\r\ncontent-length: 6`, `abcde${INNER}`],
    ['two equal lengths', `content-length: 5\r\ncontent-length: 5`, `abcde${INNER}`],
    ['a list of lengths', `content-length: 5, 5`, `abcde${INNER}`],
    ['a signed length', `content-length: +5`, `abcde${INNER}`],
    ['a negative length', `content-length: -5`, INNER],
    ['a hexadecimal length', `content-length: 0x5`, `abcde${INNER}`],
    ['a length with white space inside', `content-length: 5 0`, INNER],
    ['an endless length', `content-length: 99999999999999999999`, INNER],
    ['chunked that is not the last coding', `transfer-encoding: chunked, identity`, chunked(INNER)],
    ['a coding that only looks like chunked', `transfer-encoding: xchunked`, chunked(INNER)],
    ['chunked in quotes', `transfer-encoding: "chunked"`, chunked(INNER)],
    ['two codings', `transfer-encoding: identity\r\ntransfer-encoding: chunked`, chunked(INNER)],
    ['a space before the colon', `transfer-encoding : chunked`, chunked(INNER)],
    ['a space before the name', ` transfer-encoding: chunked`, chunked(INNER)],
    ['a vertical tab before chunked', `transfer-encoding:\u000bchunked`, chunked(INNER)],
    ['a bare CR in a header', `x: a\rtransfer-encoding: chunked`, chunked(INNER)],
    ['a bare LF in a header', `x: a\ntransfer-encoding: chunked`, chunked(INNER)],
    ['a NUL in a header', `x: a\u0000b`, INNER],
    ['a header without a colon', `transfer-encoding chunked`, chunked(INNER)],
    ['a chunk size that overflows', `transfer-encoding: chunked`, `ffffffffffffffffff\r\n${INNER}`],
    ['a chunk size that is none', `transfer-encoding: chunked`, `5 5\r\nabcde\r\n0\r\n\r\n${INNER}`],
    ['a chunk longer than it says', `transfer-encoding: chunked`, `2\r\nabcde\r\n0\r\n\r\n${INNER}`],
    ['a bare LF behind a chunk', `transfer-encoding: chunked`, `5\nabcde\n0\n\n${INNER}`],
  ])('%s', async (_name, lines, body) => {
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\ncontent-type: application/json\r\n${lines}\r\n\r\n`;
    const [answer, ...more] = rawAnswers(await rawExchange(service.url, [Buffer.from(head + body + LAST, 'latin1')]));
    expect([answer?.status, more]).toEqual([400, []]);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'bad_request' });
  });
});

describe('Line folding and extensions', () => {
  it('never reads a folded header as a separate header', async () => {
    const folded = `GET /health/live HTTP/1.1\r\nhost: localhost\r\nx: a\r\n host: evil.example\r\nconnection: close\r\n\r\n`;
    const [answer] = rawAnswers(await rawExchange(service.url, [folded]));
    expect([200, 400]).toContain(answer?.status);
  });

  it('ignores chunk extensions', async () => {
    const body = JSON.stringify({ command: 'sound_level', value: 5 });
    const chunks = `${body.length.toString(16)};name="value"\r\n${body}\r\n0;last\r\nhost: evil.example\r\n\r\n`;
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const [first, second] = rawAnswers(await rawExchange(service.url, [head + chunks + LAST]));
    expect([first?.status, second?.status]).toEqual([200, 200]);
  });

  it('rejects a chunk extension of a megabyte', async () => {
    const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const [answer] = rawAnswers(await rawExchange(service.url, [`${head}5;${'x'.repeat(1 << 20)}\r\nabcde\r\n`]));
    expect(answer?.status).toBe(400);
  });
});

describe('Requests on one connection', () => {
  const statuses = async (text: string) =>
    rawAnswers(await rawExchange(service.url, [text])).map(({ status }) => status);
  const post = (lines: string, body: string, path = '/api/v1/int/') =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${lines}\r\n\r\n${body}`;

  it('are answered separately and in order', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    expect(
      await statuses(`${get('/status')}${get('/nothing')}${get('/openapi.json')}${get('/api/v2/commands/')}${LAST}`),
    ).toEqual([200, 404, 200, 401, 200]);
  });

  it.each<[string, () => string, number]>([
    ['that nobody read, since the caller is unknown', () => post(`content-length: ${INNER.length}`, INNER), 401],
    [
      'that nobody read, since the path is unknown',
      () => post(`content-length: ${INNER.length}`, INNER, '/nothing'),
      404,
    ],
    [
      'of a route that takes none',
      () => post(`${authorization}\r\ncontent-length: ${INNER.length}`, INNER, '/api/v1/stop'),
      200,
    ],
    ['that is no JSON', () => post(`${authorization}\r\ncontent-length: ${INNER.length}`, INNER), 400],
    [
      'of a GET',
      () => `GET /status HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${INNER.length}\r\n\r\n${INNER}`,
      200,
    ],
  ])('never takes a body %s for the next request', async (_name, request, status) => {
    expect(await statuses(request() + LAST)).toEqual([status, 200]);
  });

  it.each<[string, () => string, number]>([
    ['in chunks', () => post('transfer-encoding: chunked', chunked(INNER)), 401],
    ['too large to be thrown away', () => post('content-length: 200000', INNER), 401],
    ['that the client offered only', () => post(`expect: 100-continue\r\ncontent-length: ${INNER.length}`, INNER), 401],
  ])('closes the connection after an unread body %s', async (_name, request, status) => {
    expect(await statuses(request() + LAST)).toEqual([status]);
  });

  it('applies all checks to protocol upgrades', async () => {
    const upgrade = `GET /api/v2/commands/ HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n`;
    const [answer] = rawAnswers(await rawExchange(service.url, [upgrade + INNER]));
    expect(answer?.status).toBe(401);
  });
});
