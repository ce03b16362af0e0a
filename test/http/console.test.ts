import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_STOP_PORT: '0' } });
});
afterAll(() => service.stop());

describe('The console', () => {
  it.each(['/', '/rest/', '/?utm=1'])('is a page at %s for browsers, whose files are there', async (path) => {
    const page = await http(service.url, path, { headers: BROWSER });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const folder = path.startsWith('/rest') ? '/rest/' : '/';
    for (const [, name = ''] of page.text.matchAll(/(?:src|href)="([^"]*)"/g)) {
      const file = await http(service.url, folder + name, { headers: { 'accept-encoding': 'gzip' } });
      expect([name, file.status, file.headers['content-encoding']]).toEqual([name, 200, 'gzip']);
      expect((await http(service.url, folder + name)).bytes).toEqual(gunzipSync(file.bytes));
    }
  });

  it('is a 404 for programs, and changes nothing for other methods', async () => {
    const { status, json } = await http(service.url, '/', { headers: { accept: 'application/json' } });
    expect({ status, code: json.code }).toEqual({ status: 404, code: 'not_found' });
    expect(json.detail).toContain('/docs shows all routes');
    const behindProxy = await http(service.url, '/rest/nowhere');
    expect(behindProxy.json.detail).toContain('/rest/docs shows all routes');
    expect((await http(service.url, '/', { method: 'HEAD', headers: BROWSER })).status).toBe(200);
  });

  it('may ask the port of stop of a simulated robot, from its own pages and no others', async () => {
    const { stop } = (await http(service.url, '/status')).json;
    const origin = new URL(service.url).origin;
    const page = await http(service.url, '/', { headers: BROWSER });
    expect(page.headers['content-security-policy']).toContain(`connect-src 'self' http://127.0.0.1:${stop.port};`);
    const ask = (from: string) =>
      http(`http://127.0.0.1:${stop.port}`, '/api/v2/stop', {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
    const own = await ask(origin);
    expect([own.status, own.headers['access-control-allow-origin']]).toEqual([204, origin]);
    const foreign = await ask('http://evil.example');
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
    const elsewhere = await ask(`http://127.0.0.1:${stop.port}`);
    expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined();
  });
});
