import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const BYTES = { 'content-type': 'application/octet-stream' };
const XML = { 'content-type': 'application/xml' };
const ASCII = 'solid a\nendsolid a\n';

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = join(temporaryFolder(), 'not', 'there');
  service = await startTestService({ settings: { SERVICE_DESCRIPTION_DIR: folder, SERVICE_MODE: 'robot' } });
});
afterAll(() => service.stop());

const put = (path: string, body: string | Buffer, headers: Record<string, string> = BYTES) =>
  service.as('ADMIN', `/api/v2/${path}`, { method: 'PUT', headers, body });
const remove = (path: string) => service.as('ADMIN', `/api/v2/${path}`, { method: 'DELETE' });
const files = () => readdirSync(folder, { recursive: true }).map(String).sort();

function binaryStl(triangles: number, header = ''): Buffer {
  const bytes = Buffer.alloc(84 + 50 * triangles);
  bytes.write(header);
  bytes.writeUInt32LE(triangles, 80);
  return bytes;
}

function glb(length: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('glTF');
  bytes.writeUInt32LE(2, 4);
  bytes.writeUInt32LE(length, 8);
  return bytes;
}

describe('The description of a robot over HTTP', () => {
  it('is sent, listed, read, replaced and deleted', async () => {
    const urdf = '<robot name="arm"><mesh filename="package://arm/meshes/base.stl"/></robot>';
    expect((await put('urdf/arm/urdf/arm.urdf', urdf, XML)).json).toEqual({
      path: 'arm/urdf/arm.urdf',
      size: urdf.length,
      replaced: false,
    });
    expect((await put('meshes/arm/meshes/base.stl', ASCII)).json.replaced).toBe(false);
    const again = await put('meshes/arm/meshes/base.stl', binaryStl(2), { 'content-type': 'model/stl' });
    expect([again.status, again.json]).toEqual([200, { path: 'arm/meshes/base.stl', size: 184, replaced: true }]);

    expect((await service.as('USER', '/api/v2/urdf/')).json.urdf).toEqual(['arm/urdf/arm.urdf']);
    const { json } = await service.as('USER', '/api/v2/urdf/arm/urdf/arm.urdf');
    expect(json.meshes).toEqual(['/api/v2/meshes/arm/meshes/base.stl']);
    expect((await service.as('USER', json.meshes[0])).bytes).toEqual(binaryStl(2));

    expect((await remove('urdf/arm/meshes/base.stl')).status).toBe(404);
    expect((await remove('meshes/arm/meshes/base.stl')).json).toEqual({ path: 'arm/meshes/base.stl', size: 184 });
    expect((await remove('urdf/arm/urdf/arm.urdf')).json).toEqual({ path: 'arm/urdf/arm.urdf', size: urdf.length });
    expect((await remove('urdf/arm/urdf/arm.urdf')).status).toBe(404);
    expect(files()).toEqual([]);
  });

  it.each<[string, string | Buffer]>([
    ['base.stl', ASCII],
    ['base.STL', binaryStl(0)],
    ['solid.stl', binaryStl(3, 'solid made by a program that writes binary')],
    ['arm.dae', '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<COLLADA>größe</COLLADA>'],
    ['arm.obj', 'v 0 0 0\n# größe\n'],
    ['arm.mtl', 'map_Kd skin.png\n'],
    ['arm.glb', glb(20)],
    ['skin.png', Buffer.from('89504e470d0a1a0a00', 'hex')],
    ['skin.jpg', Buffer.from('ffd8ffe000', 'hex')],
    ['größe 日本/a%b.png', Buffer.from('89504e470d0a1a0a', 'hex')],
  ])('takes %s', async (name, content) => {
    const path = `meshes/${name.split('/').map(encodeURIComponent).join('/')}`;
    expect((await put(path, content)).status).toBe(200);
    expect((await service.as('USER', `/api/v2/${path}`)).bytes).toEqual(Buffer.from(content));
    expect((await remove(path)).status).toBe(200);
  });

  it.each<[string, string | Buffer, string]>([
    ['meshes/base.stl', '', 'neither a complete binary STL'],
    ['meshes/base.stl', binaryStl(2).subarray(0, 183), 'neither a complete binary STL'],
    ['meshes/base.stl', binaryStl(2, 'solid x').subarray(0, 183), 'neither a complete binary STL'],
    ['meshes/base.stl', 'solidus', 'neither a complete binary STL'],
    ['meshes/arm.dae', '<robot/>', 'root element is <robot>, not <COLLADA>'],
    ['meshes/arm.dae', '<COLLADA>', 'unclosed tag'],
    ['meshes/arm.dae', '<!DOCTYPE COLLADA [<!ENTITY a "b">]><COLLADA/>', 'a DOCTYPE with an internal subset'],
    ['meshes/arm.dae', `<COLLADA>${'<a>'.repeat(1000)}`, 'nested deeper than 1000'],
    ['meshes/arm.dae', `<COLLADA a="${'x'.repeat(3 * 1024 * 1024)}"/>`, 'too long'],
    ['meshes/arm.dae', `<COLLADA ${Array.from({ length: 1001 }, (_, n) => `a${n}=""`).join(' ')}/>`, 'more than 1000'],
    ['meshes/arm.dae', Buffer.from('<COLLADA>\xe9</COLLADA>', 'latin1'), 'not UTF-8'],
    ['meshes/arm.obj', Buffer.from('v 0 \xe9', 'latin1'), 'not text in UTF-8'],
    ['meshes/arm.mtl', 'Kd\0', 'not text in UTF-8'],
    ['meshes/arm.obj', Buffer.from('größe').subarray(0, 3), 'not text in UTF-8'],
    ['meshes/arm.glb', glb(21), 'no binary glTF'],
    ['meshes/skin.png', 'GIF89a', 'no PNG'],
    ['meshes/skin.png', '', 'no PNG'],
    ['meshes/skin.jpg', Buffer.from('89504e470d0a1a0a', 'hex'), 'no JPEG'],
    ['urdf/arm.urdf', '<robot>\n<link></robot>', 'line 2, column 14: unexpected close tag'],
    ['urdf/arm.urdf', '', 'document must contain a root element'],
  ])('refuses as %s what is something else (%#)', async (path, content, why) => {
    const { status, json } = await put(path, content, path.startsWith('urdf') ? XML : BYTES);
    expect([status, json.code]).toEqual([422, 'validation_failed']);
    expect(json.detail).toContain(why);
    expect(files()).toEqual([]);
  });

  it.each([
    ['meshes/arm.gltf', 'path:filepath', 'Only files whose content can be checked'],
    ['meshes/arm.urdf', 'path:filepath', 'URDFs are sent to /api/v2/urdf/'],
    ['meshes/~arm/base.stl', 'path:filepath', 'may begin with "." or "~"'],
    ['meshes/arm/~base.stl', 'path:filepath', 'may begin with "." or "~"'],
    ['meshes/.hidden/base.stl', 'path:filepath', 'may begin with "." or "~"'],
    ['meshes/..%2f..%2fbase.stl', 'path:filepath', 'may begin with "." or "~"'],
    ['meshes/%2fetc%2fbase.stl', 'path:filepath', 'Each part of the path'],
    ['meshes/a%00.stl', 'path:filepath', 'control characters'],
    [`meshes/${'a/'.repeat(16)}base.stl`, 'path:filepath', '16 parts'],
    [`meshes/${'a'.repeat(252)}.stl`, 'path:filepath', '1 to 255 bytes'],
    ['urdf/arm.urdf.xacro', 'path:filename', 'xacro FILE -o ROBOT.urdf'],
    ['urdf/arm.stl', 'path:filename', 'ends in .urdf or .xml'],
  ])('refuses the path %s', async (path, pointer, why) => {
    const { status, json } = await put(path, ASCII, path.startsWith('urdf') ? XML : BYTES);
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, pointer]);
    expect(json.detail).toContain(why);
    expect(files()).toEqual([]);
  });
});

describe('What people put there by hand', () => {
  it('is not written through or removed where it is no file', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'kept.stl'), 'kept');
    symlinkSync(outside, join(folder, 'linked'));
    symlinkSync(join(outside, 'kept.stl'), join(folder, 'kept.stl'));
    mkdirSync(join(folder, 'folder.stl'));
    writeFileSync(join(folder, 'file.stl'), ASCII);
    for (const path of ['linked/base.stl', 'kept.stl', 'folder.stl', 'file.stl/base.stl']) {
      const stored = await put(`meshes/${path}`, ASCII);
      expect([path, stored.status, stored.json.code]).toEqual([path, 409, 'conflict']);
      expect((await remove(`meshes/${path}`)).status).toBe(409);
    }
    expect([readdirSync(outside), readFileSync(join(outside, 'kept.stl'), 'utf8')]).toEqual([['kept.stl'], 'kept']);
    expect((await remove('meshes/..%2fkept.stl')).status).toBe(404);
  });
});

describe('An upload', () => {
  it.each([
    'a'.repeat(256),
    `deep/${'b'.repeat(3000)}`,
    '%00',
    'a%00.stl',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e/%2e%2e/etc/passwd',
  ])('is not found at %j to be deleted', async (name) => {
    const { status, json } = await remove(`meshes/${name}`);
    expect([404, 400, 414]).toContain(status);
    expect(json.code).not.toBe('internal_error');
  });

  it('needs its media type and at least ADMIN', async () => {
    const call = { method: 'PUT', headers: BYTES, body: ASCII };
    expect((await service.as('USER', '/api/v2/meshes/a.stl', call)).status).toBe(403);
    expect((await service.as('USER', '/api/v2/meshes/a.stl', { method: 'DELETE' })).status).toBe(403);
    expect((await http(service.url, '/api/v2/urdf/a.urdf', call)).status).toBe(401);
    expect((await put('meshes/a.stl', ASCII, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await put('urdf/a.urdf', '<robot/>', BYTES)).status).toBe(415);
    expect((await put('urdf/a.urdf', `<robot>${' '.repeat(8 * 1024 * 1024)}</robot>`, XML)).status).toBe(413);
  });

  it('that is cut off leaves nothing behind, and one of each key arrives at a time', async () => {
    writeFileSync(join(folder, 'twice.stl'), 'before');
    const controller = new AbortController();
    const slow = service.as('ADMIN', '/api/v2/meshes/twice.stl', {
      method: 'PUT',
      headers: { ...BYTES, 'content-length': '1000' },
      body: 'solid ',
      signal: controller.signal,
    });
    const staged = () => readdirSync(folder).some((name) => name.startsWith('.staged-'));
    await until('the upload has begun', staged);
    expect((await put('meshes/twice.stl', ASCII)).json.code).toBe('busy');
    const other = await service.as('ENCHANTER', '/api/v2/meshes/twice.stl', {
      method: 'PUT',
      headers: BYTES,
      body: ASCII,
    });
    expect(other.json).toEqual({ path: 'twice.stl', size: ASCII.length, replaced: true });
    controller.abort();
    await slow.catch(() => undefined);
    await until('what was staged is gone', () => !staged());
    expect(readFileSync(join(folder, 'twice.stl'), 'utf8')).toBe(ASCII);
    expect((await put('meshes/twice.stl', binaryStl(1))).status).toBe(200);
    expect(existsSync(join(folder, 'twice.stl'))).toBe(true);
  });
});
