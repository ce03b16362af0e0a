import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const GZIP = { 'accept-encoding': 'br;q=1.0, gzip;q=0.8, *;q=0.1' };
const CONFIG = '/api/v2/llm_config/';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_CORS_ORIGINS: 'http://panel.example' } });
  expect((await change('You are Rip. '.repeat(200))).status).toBe(200);
});
afterAll(() => service.stop());

const enchanter = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.as('ENCHANTER', path, { method, headers });

const change = (value: string, headers = {}) =>
  service.as('ENCHANTER', CONFIG, { method: 'PATCH', headers, body: { command: 'system_prompt', value } });

describe('An answer', () => {
  it.each(['/openapi.json', '/metrics', '/docs/swagger-ui.css', '/api/v2/commands/', CONFIG])(
    'is compressed for a client that asks for it, at %s',
    async (path) => {
      const plain = await enchanter(path);
      const zipped = await enchanter(path, GZIP);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip' });
      for (const { headers } of [plain, zipped]) expect(headers.vary?.toLowerCase()).toContain('accept-encoding');
      if (path !== '/metrics') expect(zipped.text).toBe(plain.text);
      expect(zipped.bytes.length).toBeLessThan(zipped.text.length / 2);
      const head = await enchanter(path, GZIP, 'HEAD');
      expect([head.status, head.headers['content-encoding'], head.bytes.length]).toEqual([200, 'gzip', 0]);
    },
  );

  it.each<[string, string, Record<string, string>]>([
    ['which is small', '/health/live', GZIP],
    ['with a token', '/api/v2/auth/refresh/', GZIP],
    ['to a client that does not ask', '/openapi.json', {}],
    ['to a client that refuses gzip', '/openapi.json', { 'accept-encoding': 'gzip;q=0, *' }],
    ['to a client that wants another coding', '/openapi.json', { 'accept-encoding': 'br' }],
  ])('%s is not, at %s', async (_what, path, headers) => {
    const { status, headers: answered, text } = await enchanter(path, headers);
    expect([status, answered['content-encoding']]).toEqual([200, undefined]);
    expect(answered['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  it('says everything on which it depends', async () => {
    const { headers } = await enchanter(CONFIG, { ...GZIP, origin: 'http://panel.example' });
    expect(headers.vary?.split(', ').sort()).toEqual(['Accept', 'Accept-Encoding', 'Origin']);
  });
});

describe('The entity tag of a compressed answer', () => {
  it('is another one, under which it is known as unchanged', async () => {
    const { etag: plain = '' } = (await enchanter(CONFIG)).headers;
    const { etag = '' } = (await enchanter(CONFIG, GZIP)).headers;
    expect(etag).not.toBe(plain);
    for (const [accepts, tag] of [
      [GZIP, etag],
      [GZIP, plain],
      [{}, plain],
    ] as const) {
      const { status, headers, bytes } = await enchanter(CONFIG, { ...accepts, 'if-none-match': tag });
      expect([status, headers.etag, bytes.length]).toEqual([304, tag, 0]);
    }
  });

  it('lets a change of what was read through, and of nothing else', async () => {
    const { etag = '' } = (await enchanter(CONFIG, GZIP)).headers;
    const ifMatch = { 'if-match': etag };
    expect((await change('You are Pip.', ifMatch)).status).toBe(200);
    expect((await change('You are Bip.', ifMatch)).status).toBe(412);
    expect((await enchanter(CONFIG, GZIP)).text).toContain('You are Pip.');
  });
});

describe('A compressed stream', () => {
  it('arrives whole', async () => {
    const path = '/api/v2/database/read/?tablename=animations_table';
    const [plain, zipped] = [await enchanter(path), await enchanter(path, GZIP)];
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.text).toBe(plain.text);
  });

  it('of events is not compressed: they arrive as they happen', async () => {
    const controller = new AbortController();
    const { body, headers } = await fetch(`${service.url}/api/v2/events?topics=missions`, {
      headers: { authorization: `Bearer ${await service.token('USER')}`, 'accept-encoding': 'gzip' },
      signal: controller.signal,
    });
    expect(headers.get('content-encoding')).toBeNull();
    let seen = '';
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    await until('the snapshot arrives', async () => {
      seen += (await reader?.read())?.value ?? '';
      return seen.includes('event: snapshot');
    });
    controller.abort();
  });
});
