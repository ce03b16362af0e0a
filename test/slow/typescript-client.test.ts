import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { STARTER_LOCATIONS } from '../../functions/shared/robot-link/simulated-home.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { runNode } from '../support/run-node.ts';
import { startTestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const CLIENT = join(ROOT, 'clients/typescript');
/** What the blocks of the README print, in their order. */
const README_PRINTS = [
  /^ENCHANTER \[ .* \]\n\{ x: .*\}\n$/s,
  /^the robot has stopped, says the service\n$/,
  /^$/,
  /^missions now: .*\nalerts now: .*\nrobot\.missions\.started (\S+)\nrobot\.missions\.finished \1\n$/,
  /^#9c27b0 2\ntrue\n\S.* sim free\n$/,
];

/** Calls that do not fit the OpenAPI document; each of them has to be refused. */
const REFUSED = `import { connect } from 'robot-rest-client';
const robot = await connect('.', { key: 'k' });
// @ts-expect-error: it has no such method
await robot.call('post', '/status');
// @ts-expect-error: it needs a query
await robot.call('get', '/api/v2/database/read/');
// @ts-expect-error: it has a parameter in its path
await robot.call('put', '/api/v2/lease/{lease_id}', {});
// @ts-expect-error: its body has other members
await robot.call('post', '/api/v2/volume/', { body: { volume: 3 } });
// @ts-expect-error: the table has no such column
await robot.table('known_locations_table').update('x', 'colour', 5);
`;

describe('The package robot-rest-client', () => {
  const project = temporaryFolder();
  const packed = join(project, 'node_modules/robot-rest-client');
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

  beforeAll(async () => {
    await runNode([join(ROOT, 'scripts/build-typescript-client.mjs'), packed], ROOT);
  });

  it('is one module without dependencies, with the version of the service', () => {
    const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const about = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
    expect(about).toMatchObject({ name: 'robot-rest-client', version, license, type: 'module' });
    expect(Object.keys(about)).not.toContain('dependencies');
    const module = readFileSync(join(packed, 'index.js'), 'utf8');
    expect(module.match(/^import .*|\brequire\(|\bimport\(/gm)).toBeNull();
  });

  it('compiles for strict consumers of its README, with the types of browsers', async () => {
    const sources = [...blocks, REFUSED];
    for (const [index, source] of sources.entries()) writeFileSync(join(project, `block-${index}.ts`), source);
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const files = sources.map((_, index) => `block-${index}.ts`);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(
      join(project, 'process.d.ts'),
      'declare const process: { env: Record<string, string | undefined> };\n',
    );
    const browser = [
      '--lib',
      'es2023,dom,dom.iterable,dom.asynciterable',
      '--target',
      'es2022',
      '--module',
      'nodenext',
    ];
    await runNode([tsc, ...strict, ...browser, 'process.d.ts', ...files], project);
  });

  it('runs the blocks of its README as they stand, except for the address of the service', async () => {
    const keys = new FakeKeyStore([keyRecord('k1', 'ENCHANTER')]);
    const service = await startTestService({ given: [give(keyStore, keys)] });
    try {
      for (const id of STARTER_LOCATIONS) {
        const body = { tablename: 'known_locations_table', item: { id } }; // what `npm start` begins with
        expect((await service.as('ADMIN', '/api/v2/database/add_item/', { method: 'POST', body })).status).toBe(200);
      }
      expect(blocks).toHaveLength(README_PRINTS.length);
      for (const [index, block] of blocks.entries()) {
        writeFileSync(join(project, `block-${index}.mjs`), block.replaceAll('http://127.0.0.1:8000', service.url));
        const printed = await runNode([`block-${index}.mjs`], project, { ROBOT_KEY: 'rk_k1' });
        expect(printed).toMatch(README_PRINTS[index] as RegExp); // as: there are as many
      }
    } finally {
      await service.stop();
    }
  });
});
