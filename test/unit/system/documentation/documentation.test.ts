import { describe, expect, it } from '@jest/globals';
import { give } from '../../../../functions/shared/port.ts';
import { handler as getDocsFile } from '../../../../functions/system/documentation/get-docs-file.handler.ts';
import { handler as getDocsPage } from '../../../../functions/system/documentation/get-docs-page.handler.ts';
import { handler as getOpenapi } from '../../../../functions/system/documentation/get-openapi.handler.ts';
import { apiDocument } from '../../../../functions/system/documentation/ports.ts';
import { invoke } from '../../../support/invoke.ts';
import { testPorts } from '../../../support/world.ts';

describe('GET /openapi.json', () => {
  const ports = testPorts({ given: [give(apiDocument, () => ({ text: '{"openapi":"3.1.0"}', etag: '"abc"' }))] });

  it('gives the document with its entity tag', async () => {
    const { status, headers, body } = await invoke(getOpenapi, { ports });
    expect({ status, body }).toEqual({ status: 200, body: { openapi: '3.1.0' } });
    expect(headers).toMatchObject({ etag: '"abc"', 'content-type': 'application/json', 'cache-control': 'no-cache' });
  });

  it.each(['"abc"', 'W/"abc"', '"old", "abc"', '*'])(
    'is 304 without a body to a client that holds %s',
    async (held) => {
      const { status, body } = await invoke(getOpenapi, { ports, headers: { 'if-none-match': held } });
      expect({ status, body }).toEqual({ status: 304, body: '' });
    },
  );

  it('gives the document to a client with another one', async () => {
    expect(await invoke(getOpenapi, { ports, headers: { 'if-none-match': '"old"' } })).toMatchObject({ status: 200 });
  });

  it('names what is missing where there is no document', async () => {
    const { status, body } = await invoke(getOpenapi, { ports: testPorts() });
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'component_unavailable' });
  });
});

describe('GET /docs', () => {
  it.each([
    ['/docs', 'docs/'],
    ['/docs/', ''],
    ['/rest/docs', 'docs/'],
    ['/robot-7/rest/docs/', ''],
  ])('%s refers to its files relatively', async (path, folder) => {
    const { headers, body } = await invoke(getDocsPage, { ports: testPorts(), path });
    const names = [...String(body).matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
    expect(names).toEqual(
      ['favicon-32x32.png', 'swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'].map((name) => folder + name),
    );
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('forbids inline and external content', async () => {
    const { headers, body } = await invoke(getDocsPage, { ports: testPorts(), path: '/docs' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(/<script>|<style|style=|onload=/);
  });
});

describe('GET /docs/{file}', () => {
  const ports = testPorts();
  const get = (file: string, headers = {}) => invoke(getDocsFile, { ports, params: { file }, headers });

  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['start.js', 'text/javascript; charset=utf-8'],
    ['favicon-32x32.png', 'image/png'],
  ])('gives %s as %s, and 304 to a client that has it', async (file, type) => {
    const { status, headers, body } = await get(file);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
    expect(body.length).toBeGreaterThan(400);
    expect(await get(file, { 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 304, body: '' });
  });

  it.each(['package.json', '../package.json', 'index.html', 'swagger-ui.css/..', '__proto__', '%2e%2e', ''])(
    'has no file "%s"',
    async (file) => {
      expect(await get(file)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );
});
