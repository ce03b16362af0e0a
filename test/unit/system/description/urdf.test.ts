import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Ports } from '../../../../functions/shared/port.ts';
import { handler } from '../../../../functions/system/description/get-urdf.handler.ts';
import { handler as listHandler } from '../../../../functions/system/description/list-urdf.handler.ts';
import { callersAre } from '../../../support/caller.ts';
import { type Answer, invoke } from '../../../support/invoke.ts';
import { temporaryFolder, testConfig, testPorts } from '../../../support/world.ts';

let folder: string;
let ports: Ports;

beforeEach(() => {
  folder = temporaryFolder();
  ports = testPorts({ config: testConfig({ SERVICE_DESCRIPTION_DIR: folder }), given: [callersAre('USER')] });
});
afterEach(() => ports.close());

function put(path: string, content: string | Buffer = 'x'): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

function get(
  filename: string,
  path = `/api/v2/urdf/${filename}`,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return invoke(handler, { ports, path, params: { filename }, headers: { authorization: 'Bearer t', ...headers } });
}

async function rewritten(xml: string): Promise<Answer['body']> {
  put('r.urdf', xml);
  return (await get('r.urdf')).body;
}

describe('A URDF', () => {
  it('has only its mesh and texture references rewritten', async () => {
    put('pip/meshes/a b.stl');
    put('meshes/other.dae');
    put('skin.png');
    const xml = [
      '\ufeff<?xml version="1.0"?>\r\n<!-- <mesh filename="package://pip/no.stl"/> -->',
      `<robot name='pip' xmlns:xacro="http://ros.org/wiki/xacro">\r\n\t<link  name="größe 😀"><visual><geometry>`,
      `<mesh\n  scale = '1 1 1'  filename = "@1"   /></geometry><material name=">"><texture filename='@2'/></material></visual>`,
      '<collision><geometry><mesh filename="@3"></mesh><mesh filename="@1"/></geometry></collision></link>',
      '<![CDATA[<mesh filename="package://pip/no.stl"/>]]><other filename="package://pip/no.stl"/><mesh file="no.stl"/>',
      '<mesh filename="http://elsewhere/x.stl"/><mesh filename=""/><xacro:mesh filename="no.stl"/>&lt;&#65;</robot>\r',
    ].join('');
    const fill = (references: readonly string[]) =>
      xml.replace(/@(\d)/g, (_, digit) => references[Number(digit) - 1] ?? '');
    const { urdf, meshes } = await rewritten(
      fill(['package://pip/meshes/a b.stl', 'skin.png', 'package://gone/meshes/other.dae']),
    );
    const urls = ['/api/v2/meshes/pip/meshes/a%20b.stl', '/api/v2/meshes/skin.png', '/api/v2/meshes/meshes/other.dae'];
    expect(urdf).toBe(fill(urls));
    expect(meshes).toEqual(urls);
  });

  it.each([
    ['package://pip/a.stl', 'pip/a.stl', 'pip/a.stl'],
    ['package://pip/a.stl', 'a.stl', 'a.stl'],
    ['package://pip/gone.stl', 'a.stl', 'gone.stl'],
    ['file:///opt/ros/pip/meshes/a.stl', 'meshes/a.stl', 'meshes/a.stl'],
    ['../meshes/a.stl', 'meshes/a.stl', 'meshes/a.stl'],
    ['package://pip/my%20arm.stl', 'pip/my arm.stl', 'pip/my%20arm.stl'],
    ['package://p&amp;q/a&#39;b&lt;c.stl', "p&q/a'b<c.stl", 'p%26q/a%27b%3Cc.stl'],
    ['a?b#c.stl', 'a?b#c.stl', 'a%3Fb%23c.stl'],
    ['größe/日本.stl', 'größe/日本.stl', 'gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC.stl'],
  ])('shows %s, where %s exists, as …/meshes/%3$s', async (reference, existing, expected) => {
    put(existing);
    const { meshes } = await rewritten(`<robot><mesh filename="${reference}"/></robot>`);
    expect(meshes).toEqual([`/api/v2/meshes/${expected}`]);
  });

  it.each([
    ['/api/v1/urdf/r.urdf', '/api/v1/meshes/a.stl'],
    ['/rest/api/v2/urdf/r.urdf/', '/rest/api/v2/meshes/a.stl'],
    ['/robot-1/rest/api/v2/urdf/r.urdf', '/robot-1/rest/api/v2/meshes/a.stl'],
  ])('requested as %s has URLs like %s', async (path, url) => {
    put('r.urdf', '<robot><mesh filename="a.stl"/></robot>');
    const { body } = await get('r.urdf', path, { 'x-forwarded-prefix': '/from/a/stranger' });
    expect(body).toEqual({ urdf: `<robot><mesh filename="${url}"/></robot>`, meshes: [url] });
  });

  it('is 304 for a client that has it', async () => {
    put('r.urdf', '<robot/>');
    const { etag = '' } = (await get('r.urdf')).headers;
    expect((await get('r.urdf', undefined, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('The URDF of a ROS package', () => {
  it.each([
    ['arm_description/urdf/arm.urdf', 'package://arm_description/meshes/a.stl', 'arm_description/meshes/a.stl'],
    ['src/arm/urdf/arm.urdf', 'package://arm/meshes/a.stl', 'src/arm/meshes/a.stl'],
    ['src/arm/urdf/arm.urdf', 'package://hand/a.stl', 'src/hand/a.stl'],
    ['arm-main/urdf/arm.urdf', 'package://arm/meshes/a.stl', 'arm-main/meshes/a.stl'],
    ['arm/urdf/arm.urdf', '../meshes/a.stl', 'arm/meshes/a.stl'],
    ['arm/urdf/arm.urdf', 'parts/a.stl', 'arm/urdf/parts/a.stl'],
    ['arm/urdf/arm.urdf', '../../../a.stl', 'a.stl'],
  ])('%s finds %s as %s', async (urdf, reference, expected) => {
    put(urdf, `<robot><mesh filename="${reference}"/></robot>`);
    put(expected);
    expect((await get(urdf)).body.meshes).toEqual([`/api/v2/meshes/${expected}`]);
  });

  it('shows a mesh that is missing where it will be found', async () => {
    const references = ['package://arm/meshes/a.stl', 'package://hand/b.stl', '../c.stl'];
    put('src/arm/urdf/arm.urdf', `<robot>${references.map((one) => `<mesh filename="${one}"/>`).join('')}</robot>`);
    const urls = ['src/arm/meshes/a.stl', 'b.stl', 'src/arm/c.stl'].map((path) => `/api/v2/meshes/${path}`);
    expect((await get('src/arm/urdf/arm.urdf')).body.meshes).toEqual(urls);
    for (const path of ['src/arm/meshes/a.stl', 'b.stl', 'src/arm/c.stl']) put(path);
    expect((await get('src/arm/urdf/arm.urdf')).body.meshes).toEqual(urls);
  });

  it('is listed, and what is no URDF is not', async () => {
    for (const path of ['z.urdf', 'arm/urdf/arm.urdf', 'arm/urdf/arm.urdf.xacro', '.hidden/x.urdf']) put(path);
    put('arm/package.xml', '<?xml version="1.0"?>\n<package/>');
    put('old/robot.xml', '<?xml version="1.0"?>\n<robot\n name="old"/>');
    symlinkSync('/etc', join(folder, 'link'));
    const { status, body } = await invoke(listHandler, {
      ports,
      path: '/api/v2/urdf/',
      headers: { authorization: 'Bearer t' },
    });
    expect([status, body]).toEqual([200, { urdf: ['arm/urdf/arm.urdf', 'old/robot.xml', 'z.urdf'] }]);
  });

  it.each(['arm/arm.xacro', 'arm/arm.urdf', 'arm/arm', 'arm/arm.urdf.xacro'])(
    'that is a template is named when %s is asked for',
    async (asked) => {
      put(asked.endsWith('.urdf.xacro') ? asked : 'arm/arm.xacro');
      const { status, body } = await get(asked);
      expect([status, body.code]).toEqual([404, 'not_found']);
      expect(body.detail).toMatch(/^"arm\/arm(\.urdf)?\.xacro" is a xacro file.* -o arm\.urdf/);
    },
  );
});

describe('A URDF is refused', () => {
  const BOMB = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>';
  const OUTSIDE = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>';
  it.each([
    ['with an entity bomb', BOMB, /line 1, column \d+: a DOCTYPE/],
    ['with an entity that lies outside', OUTSIDE, /a DOCTYPE/],
    ['with an entity nobody declared', '<robot>\n  &x;\n</robot>', /line 2, column \d+: undefined entity/],
    ['that is not well-formed', '<robot>\n<link></robot>', /line 2, column \d+: unexpected close tag/],
    ['that ends too early', '<robot>\n<link>', /line 2, column \d+: unclosed tag/],
    ['that is something else', '<sdf/>', /root element is <sdf>/],
    ['that is empty', '', /column/],
    ['with a control character', '<robot>\u0001</robot>', /disallowed character/],
    ['that is not UTF-8', Buffer.from('<robot name="\xe9"/>', 'latin1'), /not UTF-8/],
    ['that is larger than 8 MiB', `<robot>${' '.repeat(8 * 1024 * 1024)}</robot>`, /larger than/],
  ])('%s', async (_what, xml, detail) => {
    put('r.urdf', xml);
    const { status, body } = await get('r.urdf');
    expect([status, body.code]).toEqual([500, 'config_unreadable']);
    expect(body.detail).toMatch(detail);
    expect(body.detail).not.toContain(folder);
  });

  it('unless its DOCTYPE has no declarations', async () => {
    const xml = '<!DOCTYPE robot><robot/>';
    expect(await rewritten(xml)).toEqual({ urdf: xml, meshes: [] });
  });

  it.each([
    'none.urdf',
    'mesh.stl',
    'folder.urdf',
    'sub/other.urdf',
    'sub/../r.urdf',
    '../r.urdf',
    '/etc/passwd',
    'r.urdf\0',
    '.hidden.urdf',
    '..',
    '',
  ])('as not found: "%s"', async (filename) => {
    for (const path of ['mesh.stl', 'folder.urdf/x', 'sub/r.urdf', '.hidden.urdf', 'r.urdf']) put(path, '<robot/>');
    const { status, body } = await get(filename);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});
