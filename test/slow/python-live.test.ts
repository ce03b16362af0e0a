import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { describeWith } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { CLIENT, PYTHON, runPythonTests, startPython } from '../support/python-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

/** Starts a mission and waits for its end. @returns its id. */
async function runMission(service: TestService): Promise<string> {
  const command = async (name: string, value: unknown) => {
    const { json } = await service.as('USER', `/api/v2/commands/${name}/`, { method: 'POST', body: { value } });
    return json.result;
  };
  const { msg } = await command('skill', { name: 'wait', seconds: 0.05 });
  await command('wait_for_skill', msg);
  return msg;
}

describeWith('Python 3', PYTHON, 'The Python package robot_rest', () => {
  it('passes its own tests', async () => {
    expect(await runPythonTests('test_*.py')).toMatch(/\nOK\n$/);
  });

  it('does over the Unix socket what it promises', async () => {
    const service = await startTestService();
    try {
      expect(await runPythonTests('live_*.py', { ROBOT_SOCKET: service.socketPath })).toMatch(/\nOK\n$/);
    } finally {
      await service.stop();
    }
  });

  it('follows events through restarts of the service, none lost or twice, or says that there is a gap', async () => {
    const socket = join(temporaryFolder(), 'rest_api.sock');
    const settings = { SERVICE_SOCKET_PATH: socket };
    let service = await startTestService({ settings });
    const { child, said, ended } = startPython(['tests/follow_missions.py', socket]);
    const lines = () => said.stdout.split('\n').filter((line) => line !== '');
    const expected = ['snapshot'];
    try {
      for (let restarts = 0; restarts < 3; restarts += 1) {
        await until('it listens', () => lines().length === expected.length);
        const mission = await runMission(service);
        expected.push(`robot.missions.started ${mission}`, `robot.missions.finished ${mission}`);
        await until('it has been told', () => lines().length === expected.length);
        await service.stop();
        service = await startTestService({ settings });
        expected.push('gap', 'snapshot');
      }
      await until('it is back', () => lines().length === expected.length);
    } finally {
      child.kill('SIGKILL');
      await ended;
      await service.stop();
    }
    expect(lines()).toEqual(expected);
  });

  it('says that its key was revoked', async () => {
    const keys = new FakeKeyStore([keyRecord('k1', 'ADMIN')]);
    const service = await startTestService({ given: [give(keyStore, keys)] });
    try {
      const { said, ended } = startPython(['tests/ask_for_pose.py', service.url], { ROBOT_KEY: 'rk_k1' });
      await until('it is connected', () => said.stdout.includes('connected'));
      keys.records = [];
      const { stdout, stderr } = await ended;
      expect([stdout, stderr]).toEqual(['connected\napi_key_invalid\n', '']);
    } finally {
      await service.stop();
    }
  });
});

describe('The sources of robot_rest', () => {
  it('have at most 250 lines a file', () => {
    const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.py'));
    expect(files.length).toBeGreaterThan(20);
    const long = files.filter((path) => readFileSync(join(CLIENT, path), 'utf8').split('\n').length > 251);
    expect(long).toEqual([]);
  });

  it('have the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(readFileSync(join(CLIENT, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
    expect(readFileSync(join(CLIENT, 'src/robot_rest/__init__.py'), 'utf8')).toContain(`__version__ = "${version}"`);
  });
});
