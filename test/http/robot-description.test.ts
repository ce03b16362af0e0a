import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { largeUrdf } from '../support/large-urdf.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { loggerInto, temporaryFolder } from '../support/world.ts';

const { xml, meshes } = largeUrdf();
let folder: string;
let service: TestService;
const log: string[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  put('big.urdf', xml);
  for (const path of meshes) put(path, path);
  put('../secret.stl', 'secret');
  service = await startTestService({
    settings: { SERVICE_DESCRIPTION_DIR: folder, SERVICE_TRUSTED_PROXY: '127.0.0.1/32' },
    logger: loggerInto(log, 'trace'),
  });
});
afterAll(() => service.stop());

function put(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Every value of an attribute, anywhere in parsed XML. */
function attributes(node: unknown, name: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === `@${name}` ? [String(value)] : attributes(value, name),
  );
}

describe('The URDF of a large robot', () => {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@' });

  it('loads in another parser after rewriting, and every listed mesh is served', async () => {
    expect(xml.length).toBeGreaterThan(250_000);
    const { status, json } = await service.as('USER', '/api/v2/urdf/big.urdf');
    expect(status).toBe(200);
    expect(XMLValidator.validate(json.urdf)).toBe(true);

    const [before, after] = [parser.parse(xml), parser.parse(json.urdf)];
    expect(after.robot.link).toHaveLength(64);
    expect(after.robot.joint).toEqual(before.robot.joint);
    expect(new Set(attributes(after, 'filename'))).toEqual(new Set(json.meshes));
    expect(json.urdf.replace(/filename="[^"]*"/g, '')).toBe(xml.replace(/filename="[^"]*"/g, ''));

    expect(json.meshes).toHaveLength(meshes.length);
    for (const url of json.meshes) {
      const mesh = await service.as('USER', url);
      expect([url, mesh.status]).toEqual([url, 200]);
      expect(`/api/v2/meshes/${mesh.text}`).toBe(decodeURIComponent(url));
    }
  });

  it.each([
    ['/api/v1', undefined, '/api/v1'],
    ['/rest/api/v2', undefined, '/rest/api/v2'],
    ['/rest/api/v2', '/robot-1', '/robot-1/rest/api/v2'],
    ['/api/v2', '/a/b/c/d', '/a/b/c/d/api/v2'],
    ['/api/v2', '/a/b/c/d/e', '/api/v2'],
    ['/api/v2', '/"><script>', '/api/v2'],
    ['/api/v2', '//evil.example', '/api/v2'],
  ])(
    'served through %s, with a trusted proxy that sends %s, has mesh URLs below %s',
    async (base, prefix, expected) => {
      const headers: Record<string, string> = prefix === undefined ? {} : { 'x-forwarded-prefix': prefix };
      const { json } = await service.as('USER', `${base}/urdf/big.urdf`, { headers });
      expect(json.meshes[0].startsWith(`${expected}/meshes/`)).toBe(true);
    },
  );
});

describe('The URDF in a package', () => {
  it('is listed, and answers with its slashes encoded or not', async () => {
    put('arm/urdf/arm.urdf', '<robot/>');
    for (const path of ['/api/v2/urdf', '/rest/api/v2/urdf/']) {
      expect((await service.as('USER', path)).json).toEqual({ urdf: ['arm/urdf/arm.urdf', 'big.urdf'] });
    }
    for (const path of ['/api/v1/urdf/arm/urdf/arm.urdf', '/rest/api/v2/urdf/arm%2Furdf%2Farm.urdf/']) {
      expect((await service.as('USER', path)).json).toEqual({ urdf: '<robot/>', meshes: [] });
    }
    expect((await service.as('USER', '/api/v1/urdf/')).status).toBe(404);
  });
});

describe('A mesh, over HTTP', () => {
  const path = '/api/v2/meshes/big_robot_description/meshes/collision/left_0.stl';
  const content = 'big_robot_description/meshes/collision/left_0.stl';

  it('serves HEAD with everything except the bytes', async () => {
    const { status, headers, text } = await service.as('USER', path, { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
    expect(headers).toMatchObject({ 'content-length': String(content.length), 'content-type': 'model/stl' });
  });

  it('serves a range, and 304 without a body', async () => {
    const part = await service.as('USER', path, { headers: { range: 'bytes=0-2' } });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      'big',
      `bytes 0-2/${content.length}`,
    ]);
    const again = await service.as('USER', path, { headers: { 'if-none-match': part.headers.etag ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('requires a token', async () => {
    for (const method of ['GET', 'HEAD']) expect((await service.as(undefined, path, { method })).status).toBe(401);
  });

  it.each([
    '/api/v2/meshes/../secret.stl',
    '/api/v2/meshes/%2e%2e/secret.stl',
    '/api/v2/meshes/..%2fsecret.stl',
    '/api/v2/meshes/big_robot_description/..%2f..%2fsecret.stl',
    '/api/v2/meshes/%2fetc%2fpasswd',
    '/api/v2/meshes//etc/passwd',
    '/api/v2/meshes/big.urdf%00.stl',
    '/api/v2/meshes/%252e%252e/secret.stl',
    '/api/v2/meshes/big_robot_description',
    '/api/v2/meshes/big_robot_description/',
    '/api/v2/urdf/..%2fsecret.urdf',
  ])('does not find %s', async (hostile) => {
    expect((await service.as('USER', hostile)).status).toBe(404);
  });

  it('closes the file when the client hangs up', async () => {
    put('large.bin', 'x'.repeat(8 * 1024 * 1024));
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let round = 0; round < 10; round += 1) {
      const controller = new AbortController();
      const asked = service.as('USER', '/api/v2/meshes/large.bin', { signal: controller.signal });
      setImmediate(() => controller.abort());
      await asked.catch(() => undefined);
    }
    while (open() > before) await pause(10); // a file that stays open ends in the time-out of the test
    expect((await service.as('USER', path)).status).toBe(200);
  });
});

describe('The signed URLs of a URDF', () => {
  const urdf = '/rest/api/v2/urdf/arm/urdf/arm.urdf?signed=true';

  it('need no token, and so does what lies beside a mesh; none of them is logged or kept by caches', async () => {
    put('arm/urdf/arm.urdf', '<robot><mesh filename="package://arm/meshes/base stl.dae"/></robot>');
    put('arm/meshes/base stl.dae', 'mesh');
    put('arm/textures/skin.png', 'skin');
    put('hand/hand.stl', 'hand');
    const asked = await service.as('USER', urdf);
    const [url = ''] = asked.json.meshes;
    expect(asked.headers['cache-control']).toBe('no-store');
    expect(url).toMatch(/^\/rest\/api\/v2\/meshes\/~[\w.-]+\/arm\/meshes\/base%20stl\.dae$/);
    expect(asked.json.urdf).toBe(`<robot><mesh filename="${url}"/></robot>`);

    const open = (path: string, method = 'GET') => service.as(undefined, path, { method });
    const mesh = await open(url);
    expect([mesh.status, mesh.text, mesh.headers['content-type']]).toEqual([200, 'mesh', 'model/vnd.collada+xml']);
    expect((await open(new URL('../textures/skin.png', `http://x${url}`).pathname)).text).toBe('skin');
    expect((await open(url, 'HEAD')).status).toBe(200);
    expect((await open(url.replace('base%20stl', 'none'))).status).toBe(404);
    const signature = /~[^/]+/.exec(url)?.[0] ?? '';
    for (const path of [`${signature}/hand/hand.stl`, `${signature}x/arm/textures/skin.png`, 'arm/textures/skin.png']) {
      const { status, headers } = await open(`/api/v2/meshes/${path}`);
      expect([path, status, headers['www-authenticate']]).toEqual([path, 401, expect.stringContaining('Bearer')]);
    }
    expect((await open(`/api/v2/meshes/${signature}/arm/..%2fhand/hand.stl`)).status).toBe(404);
    expect(log.join('')).toContain('/api/{version}/meshes/~{signature}/');
    expect(log.join('')).not.toContain(signature);
  });
});
