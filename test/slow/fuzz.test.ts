import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PROBLEMS } from '../../functions/shared/errors.ts';
import { concretePaths } from '../../local-host/http/router.ts';
import { ROUTES } from '../../local-host/routes.ts';
import { wholeCharacter } from '../support/characters.ts';
import { type HttpAnswer, rawExchange } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SEED = 20_260_401;
const QUICK = {
  headersTimeoutMs: 300,
  requestTimeoutMs: 300,
  keepAliveTimeoutMs: 300,
  checkIntervalMs: 50,
  lingerTimeoutMs: 300,
};

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startTestService({ limits: QUICK });
  token = await service.token('ENCHANTER');
});
afterAll(() => service.stop());

/** Never a 500, and every refusal a problem with a code of the table. */
function expectGoodManners({ status, headers, json }: Pick<HttpAnswer, 'status' | 'headers' | 'json'>): void {
  expect(status).not.toBe(500);
  if (status < 400) return;
  expect(headers['content-type']).toBe('application/problem+json');
  expect(Object.keys(PROBLEMS)).toContain(json.code);
  expect(PROBLEMS[json.code as keyof typeof PROBLEMS][0]).toBe(status);
}

const WITH_BODY = ROUTES.filter(
  (route) => route.endpoint.spec.input?.body && route.endpoint.spec.bodyType !== 'multipart',
);
const paths = WITH_BODY.flatMap((route) =>
  concretePaths(route).map((path) => [route.method, path.replace('{command}', 'sound_level')] as const),
);

const command = fc.constantFrom(
  'sound_level',
  'go_to_absolute',
  'skill',
  'set_language',
  'play_sequence',
  'set_obstacle_avoidance',
  '__proto__',
  '',
  'ü\u0000',
);
const nested = fc.integer({ min: 1, max: 3000 }).map((depth) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
const bodies = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.record({ command, value: fc.jsonValue() }, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
  fc
    .record({
      value: fc.oneof(fc.double(), fc.bigInt().map(String), fc.string({ unit: wholeCharacter }), fc.jsonValue()),
    })
    .map((value) => JSON.stringify(value)),
  nested,
  fc.string({ unit: wholeCharacter }),
  fc.tuple(fc.json(), fc.nat({ max: 40 })).map(([text, cut]) => text.slice(0, cut)),
  fc.constantFrom(
    '{"command":"sound_level","value":1e999}',
    '{"command":"sound_level","value":-0}',
    '{"command":"set_language","value":"\\ud800"}',
    '{"value":9007199254740993}',
  ),
);

describe('Random bodies', () => {
  it('get a documented response on every route that takes a body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), bodies, async ([method, path], body) => {
        const headers = { 'content-type': 'application/json' };
        expectGoodManners(await service.as('ENCHANTER', path, { method, headers, body }));
      }),
      { seed: SEED, numRuns: 600 },
    );
  });

  it('get a documented response with any bytes and media type', async () => {
    const type = fc.oneof(
      fc.constantFrom(
        'application/json',
        'application/json;charset=utf-16',
        'text/json',
        'multipart/form-data; boundary=x',
      ),
      fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        type,
        fc.uint8Array({ maxLength: 300 }),
        async ([method, path], mediaType, bytes) => {
          const headers = { 'content-type': mediaType };
          expectGoodManners(await service.as('ENCHANTER', path, { method, headers, body: Buffer.from(bytes) }));
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe('Random HTTP', () => {
  const valid = () =>
    `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 36\r\nconnection: close\r\n\r\n{"command":"sound_level","value":10}`;

  /** Whatever came back is a run of complete HTTP answers, and every refusal among them a problem. */
  function expectAnswers(raw: string): void {
    if (raw === '') return;
    expect(raw).toMatch(/^HTTP\/1\.1 \d{3} /);
    const status = Number(raw.slice(9, 12));
    if (status < 400) return;
    const [head = '', body = ''] = raw.split('\r\n\r\n');
    const headers = { 'content-type': /content-type: (\S+)/i.exec(head)?.[1] };
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expectGoodManners({ status, headers, json: JSON.parse(body.slice(0, length)) });
  }

  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 8 }),
    put: fc.string({ unit: wholeCharacter, maxLength: 8 }),
  });

  it('survives requests with bytes changed, inserted or removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let request = valid();
        for (const { at, remove, put } of edits) {
          const place = Math.floor(at * request.length);
          request = request.slice(0, place) + put + request.slice(place + remove);
        }
        expectAnswers(await rawExchange(service.url, [Buffer.from(request, 'latin1')]));
      }),
      { seed: SEED, numRuns: 600 },
    );
    expect((await service.as(undefined, '/status')).status).toBe(200);
  });

  it('survives paths of any characters', async () => {
    const part = fc.oneof(
      fc.constantFrom('..', '%2e%2e', '%00', '%', '%ff', 'api', 'v1', 'get', '{command}', '*', '\\', ';', 'rest'),
      fc.string({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const path = `/${parts.join('/')}`.replace(/[^\x21-\x7e]/g, '~');
        expectAnswers(
          await rawExchange(service.url, [
            `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
          ]),
        );
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('does not buffer a body of 100 MB, declared or not', async () => {
    const before = process.memoryUsage().rss;
    for (const framing of ['content-length: 104857600', 'transfer-encoding: chunked']) {
      const head = `POST /api/v1/int/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
      const raw = await pour(head, framing.startsWith('transfer'));
      expect(raw).toMatch(/^HTTP\/1\.1 413 /);
      expectAnswers(raw);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect((await service.as(undefined, '/status')).status).toBe(200);
  });

  /** Sends 100 MB as fast as the service takes them, and stops when it no longer does. */
  function pour(head: string, chunked: boolean): Promise<string> {
    const block = Buffer.alloc(64 * 1024, 0x20);
    const piece = chunked ? Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]) : block;
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve) => {
      let left = 1600;
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(head, more));
      const more = () => {
        left -= 1;
        if (left >= 0 && socket.writable) socket.write(piece, more);
      };
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
      });
      socket.on('error', () => undefined).on('close', () => resolve(received));
    });
  }
});
