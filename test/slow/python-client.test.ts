import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { STARTER_LOCATIONS } from '../../functions/shared/robot-link/simulated-home.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { CLIENT, PYTHON, readmeBlocks, runPython, runPythonTests, startPython } from '../support/python-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const KEY = 'rk_k1';

/** What the blocks of the README print, in their order. */
const README_PRINTS = [
  /^ENCHANTER \[.*'go_to_relative'.*\]\n\{'x': .*\}\n$/,
  /^(?:Gestures\n(?:.+\n)*)?$/, // a service that was just started with `npm start` has rows
  /^$/,
  /^missions now: .*\nalerts now: .*\n.* robot\.missions\.started .*\n.* robot\.missions\.finished .*\n$/,
  /^\{'id': 'garden', 'color': '#9c27b0'\} \d+\n\(\{.*'nod_twice'.*\},\)\n\['look_around\.py', 'wave_hello\.py'\]\n$/,
  /^$/,
];

describeWith('Python 3', PYTHON, 'The Python package robot_rest', () => {
  describeWith('openssl', OPENSSL, 'with a service', () => {
    const { certPath, keyPath } = makeCertificate(temporaryFolder(), 'robot');
    let service: TestService;
    beforeAll(async () => {
      const settings = { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
      const keys = new FakeKeyStore([keyRecord('k1', 'ENCHANTER')]);
      service = await startTestService({ settings, given: [give(keyStore, keys)] });
    });
    afterAll(() => service.stop());

    it.each([
      ['TCP', 'live_*.py', () => ({ ROBOT_URL: service.url, ROBOT_KEY: KEY })],
      ['TLS', 'live_endings.py', () => ({ ROBOT_URL: service.tlsUrl, ROBOT_KEY: KEY, ROBOT_CA: certPath })],
    ])('does over %s what it promises', async (_way, tests, environment) => {
      expect(await runPythonTests(tests, environment())).toMatch(/\nOK\n$/);
    });

    it('trusts no certificate that it was not told to trust, and shows no key', async () => {
      const { code, stderr } = await startPython(['tests/ask_for_pose.py', service.tlsUrl], { ROBOT_KEY: KEY }).ended;
      expect([code, stderr]).toEqual([1, expect.stringMatching(/Unavailable: .*CERTIFICATE_VERIFY_FAILED/i)]);
      expect(stderr).not.toContain(KEY);
    });

    it('runs the blocks of its README as they stand, except for the address of the service', async () => {
      for (const id of STARTER_LOCATIONS) {
        const body = { tablename: 'known_locations_table', item: { id } }; // what `npm start` begins with
        const { status } = await service.as('ADMIN', '/api/v2/database/add_item/', { method: 'POST', body });
        expect(status).toBe(200);
      }
      const blocks = readmeBlocks().filter((block) => !block.includes('robot_rest.robot'));
      expect(blocks).toHaveLength(README_PRINTS.length);
      for (const [index, block] of blocks.entries()) {
        const program = block.replace('http://127.0.0.1:8000', service.url);
        const printed = await runPython(['-c', program], { ROBOT_KEY: KEY }, { cwd: temporaryFolder() });
        expect(printed).toMatch(README_PRINTS[index] as RegExp); // as: there are as many
      }
    });

    it('runs its examples', async () => {
      const example = (name: string) => runPython([join(CLIENT, 'examples', name), service.url], { ROBOT_KEY: KEY });
      expect(await example('patrol.py')).toMatch(/\nplaces visited: 2\n$/);
      expect(await example('remote_program.py')).toMatch(/\nrobot\.missions\.finished .*\n$/);
    });

    it('ends the patrol of its example with a sentence when somebody stops the robot', async () => {
      const { child, ended } = startPython([join(CLIENT, 'examples/patrol.py'), service.url], { ROBOT_KEY: KEY });
      try {
        await until('it drives', async () => {
          const { json } = await service.as('USER', '/api/v2/commands/get_pose/', { method: 'POST', body: {} });
          return json.result.moving === true;
        });
        await service.as('USER', '/api/v2/stop', { method: 'POST' });
        const { code, stdout, stderr } = await ended;
        expect([code, stdout, stderr]).toEqual([
          1,
          '',
          expect.stringMatching(/^the patrol has ended: .*\(stopped\)\n$/),
        ]);
        await until('its lease is over', async () => {
          const { json } = await service.as('USER', '/api/v2/lease/');
          return json.state !== 'fresh';
        });
      } finally {
        child.kill('SIGKILL');
      }
    });

    it.each([
      ['look_around', 'steps=2', /^step 1 of 2: .*\nstep 2 of 2: .*\nreturned \[.*\]\n$/],
      ['wave_hello', 'times=1', /^returned None\n$/],
    ])('runs the starter skill %s', async (name, args, prints) => {
      const program = [
        'import asyncio',
        'from robot_rest import connect',
        `from ${name} import ${name}`,
        'async def main():',
        `    async with connect(socket="${service.socketPath}") as robot:`,
        `        print("returned", await ${name}(robot, ${args}))`,
        'asyncio.run(main())',
      ].join('\n');
      const path = [join(CLIENT, 'src'), join(ROOT, 'robot/skills')].join(':');
      expect(await runPython(['-c', program], { PYTHONPATH: path })).toMatch(prints);
    });
  });
});
