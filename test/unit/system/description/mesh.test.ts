import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Ports } from '../../../../functions/shared/port.ts';
import { handler } from '../../../../functions/system/description/get-mesh.handler.ts';
import { callersAre } from '../../../support/caller.ts';
import { type Answer, invoke } from '../../../support/invoke.ts';
import { temporaryFolder, testConfig, testPorts } from '../../../support/world.ts';

const CONTENT = '0123456789';
const WRITTEN = new Date('2026-11-01T12:00:00.500Z');
const LAST_MODIFIED = 'Sun, 01 Nov 2026 12:00:00 GMT';

let folder: string;
let ports: Ports;

beforeEach(() => {
  folder = join(temporaryFolder(), 'description');
  ports = testPorts({ config: testConfig({ SERVICE_DESCRIPTION_DIR: folder }), given: [callersAre('USER')] });
  put('a.stl');
});
afterEach(() => ports.close());

function put(path: string, content = CONTENT): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  utimesSync(join(folder, path), WRITTEN, WRITTEN);
}

interface Got extends Answer {
  readonly text: string;
}

async function get(filepath: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const path = `/api/v2/meshes/${filepath}`;
  const answer = await invoke(handler, {
    ports,
    method,
    path,
    params: { filepath },
    headers: { authorization: 'Bearer t', ...headers },
  });
  if (typeof answer.body?.pipe !== 'function') return { ...answer, text: '' };
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { ...answer, text: Buffer.concat(chunks).toString() };
}

describe('A mesh', () => {
  it('is sent with its length, type, entity tag and date', async () => {
    const { status, headers, text } = await get('a.stl');
    expect([status, text]).toEqual([200, CONTENT]);
    expect(headers).toMatchObject({
      'content-type': 'model/stl',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'last-modified': LAST_MODIFIED,
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
  });

  it.each([
    ['a.STL', 'model/stl'],
    ['a.dae', 'model/vnd.collada+xml'],
    ['a.obj', 'model/obj'],
    ['a.mtl', 'model/mtl'],
    ['a.glb', 'model/gltf-binary'],
    ['a.gltf', 'model/gltf+json'],
    ['a.png', 'image/png'],
    ['a.jpg', 'image/jpeg'],
    ['a.jpeg', 'image/jpeg'],
    ['a.bin', 'application/octet-stream'],
    ['a.html', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['a', 'application/octet-stream'],
  ])('%s is %s', async (name, type) => {
    put(name);
    expect((await get(name)).headers['content-type']).toBe(type);
  });

  it.each(['deep/er/a b%20ü.stl', '100%.stl', '日本.stl', "a'b.stl", 'a..b.stl'])('is found as "%s"', async (path) => {
    put(path, path);
    expect((await get(path)).text).toBe(path);
  });

  it('may be empty', async () => {
    put('empty.stl', '');
    const { status, headers, text } = await get('empty.stl');
    expect([status, headers['content-length'], text]).toEqual([200, '0', '']);
  });

  it('gets another entity tag when rewritten, even with the same size and date', async () => {
    const before = (await get('a.stl')).headers.etag;
    put('a.stl', '9876543210');
    expect((await get('a.stl')).headers.etag).not.toBe(before);
  });

  it('is found through a link within the folder', async () => {
    symlinkSync('a.stl', join(folder, 'link.stl'));
    expect((await get('link.stl')).text).toBe(CONTENT);
  });
});

describe('A mesh is not found at', () => {
  it.each([
    '../secret.stl',
    'sub/../../secret.stl',
    '../description/a.stl',
    './a.stl',
    '/a.stl',
    '/etc/passwd',
    'sub//a.stl',
    'sub',
    'sub/',
    '',
    '.',
    '..',
    'a.stl/',
    'a.stl/x',
    'a.stl\0',
    'a.stl\0.png',
    '.hidden/a.stl',
    'sub/.hidden.stl',
    'out.stl',
    'outside/secret.stl',
    'broken.stl',
    'loop.stl',
    'pipe.stl',
    `${'x'.repeat(300)}.stl`,
    '..\\secret.stl',
  ])('"%s"', async (path) => {
    for (const name of ['sub/a.stl', '.hidden/a.stl', 'sub/.hidden.stl', '../secret.stl']) put(name);
    symlinkSync('../secret.stl', join(folder, 'out.stl'));
    symlinkSync('..', join(folder, 'outside'));
    symlinkSync('nowhere', join(folder, 'broken.stl'));
    symlinkSync('loop.stl', join(folder, 'loop.stl'));
    execFileSync('mkfifo', [join(folder, 'pipe.stl')]);
    const { status, body } = await get(path);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('A range', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', CONTENT, 'bytes 0-9/10'],
    ['bytes=9-9999', '9', 'bytes 9-9/10'],
    ['Bytes = 0-0', '0', 'bytes 0-0/10'],
  ])('%s is answered with 206', async (range, expected, contentRange) => {
    const { status, headers, text } = await get('a.stl', { range });
    expect([status, text]).toEqual([206, expected]);
    expect(headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(expected.length) });
  });

  it.each(['bytes=0-1,3-4', 'bytes=3-2', 'bytes=-', 'bytes=a-b', 'items=0-1', 'bytes 0-1', ''])(
    '"%s" is answered with the whole file',
    async (range) => {
      const { status, headers, text } = await get('a.stl', { range });
      expect([status, text, headers['content-range']]).toEqual([200, CONTENT, undefined]);
    },
  );

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    '%s is refused with 416',
    async (range) => {
      const { status, headers, body } = await get('a.stl', { range });
      expect([status, body.code, headers['content-range']]).toEqual([416, 'range_not_satisfiable', 'bytes */10']);
    },
  );

  it('is ignored for HEAD', async () => {
    expect((await get('a.stl', { range: 'bytes=0-1' }, 'HEAD')).status).toBe(200);
  });

  it('with If-Range is answered for the known state, otherwise with the whole file', async () => {
    const { etag = '' } = (await get('a.stl')).headers;
    const status = async (ifRange: string) => (await get('a.stl', { range: 'bytes=0-1', 'if-range': ifRange })).status;
    expect(await status(etag)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status(`W/${etag}`)).toBe(200);
    expect(await status(LAST_MODIFIED)).toBe(206);
    expect(await status('Sun, 01 Nov 2026 12:00:01 GMT')).toBe(200);
  });
});

describe('A condition', () => {
  it("answers 304 or 412 according to the client's state", async () => {
    const { etag = '' } = (await get('a.stl')).headers;
    const later = 'Mon, 02 Nov 2026 12:00:00 GMT';
    const earlier = 'Sat, 31 Oct 2026 12:00:00 GMT';
    const rows: ReadonlyArray<readonly [Record<string, string>, number]> = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `"x", W/${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"x"' }, 200],
      [{ 'if-none-match': '"x"', 'if-modified-since': later }, 200],
      [{ 'if-modified-since': LAST_MODIFIED }, 304],
      [{ 'if-modified-since': 'Mon, 99 Nov 2026 12:00:00 GMT' }, 200],
      [{ 'if-modified-since': later }, 304],
      [{ 'if-modified-since': earlier }, 200],
      [{ 'if-modified-since': 'yesterday' }, 200],
      [{ 'if-match': etag }, 200],
      [{ 'if-match': '"x"' }, 412],
      [{ 'if-match': etag, 'if-none-match': etag }, 304],
      [{ 'if-unmodified-since': LAST_MODIFIED }, 200],
      [{ 'if-unmodified-since': earlier }, 412],
      [{ 'if-none-match': etag, range: 'bytes=99-' }, 304],
    ];
    for (const [headers, status] of rows)
      expect([headers, (await get('a.stl', headers)).status]).toEqual([headers, status]);
  });
});

describe('Every file that was opened is closed again', () => {
  it('whatever the answer', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    await get('a.stl');
    const before = open();
    for (let round = 0; round < 20; round += 1) {
      const { etag = '' } = (await get('a.stl', { range: 'bytes=0-1' })).headers;
      await get('a.stl', { 'if-none-match': etag });
      await get('a.stl', { 'if-match': '"x"' });
      await get('a.stl', { range: 'bytes=99-' });
      await get('none.stl');
    }
    expect(open()).toBeLessThanOrEqual(before + 1);
  });
});
