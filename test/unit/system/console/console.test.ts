import { describe, expect, it } from '@jest/globals';
import { give } from '../../../../functions/shared/port.ts';
import { handler as getConsoleFile } from '../../../../functions/system/console/get-console-file.handler.ts';
import { handler as getConsolePage } from '../../../../functions/system/console/get-console-page.handler.ts';
import type { ConsoleFiles, StopPorts } from '../../../../functions/system/console/port.ts';
import { consoleFiles, stopPorts } from '../../../../functions/system/console/ports.ts';
import { invoke } from '../../../support/invoke.ts';
import { testConfig, testPorts } from '../../../support/world.ts';

const file = { mediaType: 'text/css; charset=utf-8', bytes: buffer('plain'), br: buffer('br'), gzip: buffer('gzip') };
const files: ConsoleFiles = {
  entry: { script: 'main-A.js', parts: ['shared-D.js'], style: 'style-B.css', icon: 'icon-C.svg' },
  read: (name) => (name === 'style-B.css' ? file : undefined),
};
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function buffer(text: string): Buffer {
  return Buffer.from(text);
}

function portsWith(stop: StopPorts | null = null, settings: Record<string, string> = {}) {
  return testPorts({
    config: testConfig(settings),
    given: [give(consoleFiles, files), give(stopPorts, () => stop)],
  });
}

async function policyOf(host: string, stop: StopPorts | null): Promise<string> {
  const { headers } = await invoke(getConsolePage, {
    ports: portsWith(stop),
    path: '/',
    headers: { accept: BROWSER, host },
  });
  return /connect-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1] ?? '';
}

describe('GET /', () => {
  it.each([
    ['/', 'console/'],
    ['/rest', 'rest/console/'],
    ['/rest/', 'console/'],
    ['/robot-7/rest', 'rest/console/'],
    ['/robot-7/rest/', 'console/'],
  ])('%s refers to its files relatively', async (path, folder) => {
    const { headers, body } = await invoke(getConsolePage, { ports: portsWith(), path, headers: { accept: BROWSER } });
    const names = [...String(body).matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
    expect(names).toEqual(['icon-C.svg', 'style-B.css', 'shared-D.js', 'main-A.js'].map((name) => folder + name));
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'Accept' });
  });

  it.each([undefined, '*/*', 'application/json', 'text/*', 'text/html;q=0', 'text/html;q=x'])(
    'is 404 for Accept: %s, which names no page',
    async (accept) => {
      const headers = accept === undefined ? {} : { accept };
      const { status, body } = await invoke(getConsolePage, { ports: portsWith(), path: '/', headers });
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
    },
  );

  it('allows nothing inline, no other host, and no markup from strings', async () => {
    const { headers, body } = await invoke(getConsolePage, {
      ports: portsWith(),
      path: '/',
      headers: { accept: BROWSER },
    });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types robot-model",
    );
    expect(body).not.toMatch(/<script>|<style|style=|onload=/);
  });

  it('lets the page reach stop where that is served besides, under the name by which the page was reached', async () => {
    const stop = { port: 8002, tls_port: 8445 };
    expect(await policyOf('pip.local:8000', stop)).toBe("'self' http://pip.local:8002 https://pip.local:8445");
    expect(await policyOf('10.0.0.7', { port: 8002, tls_port: null })).toBe("'self' http://10.0.0.7:8002");
    expect(await policyOf('[::1]:8000', stop)).toBe("'self' http://*:8002 https://*:8445");
    expect(await policyOf('pip.local:8000', { port: null, tls_port: null })).toBe("'self'");
  });

  it.each(["a; script-src 'unsafe-inline'", 'a b', 'a,b', "'self'", '*', ''])(
    'takes no directive from a Host header: %s',
    async (host) => {
      expect(await policyOf(host, { port: 8002, tls_port: null })).toBe("'self'");
    },
  );
});

describe('The camera', () => {
  const page = (settings: Record<string, string>) =>
    invoke(getConsolePage, { ports: portsWith(null, settings), path: '/', headers: { accept: BROWSER } });

  it('is named by the page, which may talk to its server', async () => {
    const { headers, body } = await page({ SERVICE_VIDEO_URL: 'http://robot.local:8889/front&left/whep' });
    expect(body).toContain('<meta name="robot-video" content="http://robot.local:8889/front&amp;left/whep">');
    expect(headers['content-security-policy']).toContain("connect-src 'self' http://robot.local:8889;");
  });

  it.each<Record<string, string>>([
    {},
    { SERVICE_VIDEO_URL: '' },
    { SERVICE_VIDEO_URL: 'http://a/whep', SERVICE_ROBOT_URL: 'mqtt://broker' },
  ])('is not there with %j', async (settings) => {
    const { headers, body } = await page(settings);
    expect(body).not.toContain('robot-video');
    expect(headers['content-security-policy']).toContain("connect-src 'self';");
  });

  it.each([
    'robot.local:8889',
    'ws://robot.local/whep',
    'javascript:alert(1)',
    "http://a;script-src'unsafe-inline'/whep",
    'http://user:secret@robot.local/whep',
    'http://robot.local/whep?jwt=secret',
    'http://[::1]:8889/whep',
  ])('cannot be at %s', (url) => {
    expect(() => testConfig({ SERVICE_VIDEO_URL: url })).toThrow('SERVICE_VIDEO_URL');
  });
});

describe('GET /console/{file}', () => {
  const read = (name: string, encoding?: string) =>
    invoke(getConsoleFile, {
      ports: portsWith(),
      params: { file: name },
      headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
    });

  it.each([
    [undefined, undefined, 'plain'],
    ['gzip, deflate', 'gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'gzip'],
    ['identity', undefined, 'plain'],
  ])('answers Accept-Encoding: %s with %s', async (accepted, coding, text) => {
    const { status, headers, body } = await read('style-B.css', accepted);
    expect({ status, body: String(body) }).toEqual({ status: 200, body: text });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  it.each(['entry.json', '../entry.json', '__proto__', ''])('has no file %s', async (name) => {
    expect(await read(name)).toMatchObject({ status: 404 });
  });
});
