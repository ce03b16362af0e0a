import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { http } from '../../support/http.ts';
import { freshEnvironment } from '../../support/process.ts';
import { until } from '../../support/processes.ts';
import { describeOnDisks } from '../../support/small-disk.ts';
import { ROOT } from '../../support/sources.ts';

const START = join(ROOT, 'scripts', 'start.mjs');

describeOnDisks('A service whose output goes to a full disk', (mount) => {
  it('answers, stops the robot, logs again once there is room, and ends on SIGTERM', async () => {
    const disk = mount(1024 * 1024);
    const path = join(disk.folder, 'log');
    const output = openSync(path, 'a');
    const env = freshEnvironment({ SERVICE_LOG_LEVEL: 'debug', SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
    const child = spawn(process.execPath, [START], { env, stdio: ['ignore', output, output] });
    const ended = once(child, 'exit');
    closeSync(output);
    try {
      await until('the service listens', () => readFileSync(path, 'utf8').includes('First API key'));
      disk.fill();
      const ask = (target: string, method = 'GET') => http(env.SERVICE_SOCKET_PATH ?? '', target, { method });
      for (let request = 0; request < 50; request += 1) {
        expect((await ask(`/health/live?_=${'x'.repeat(2_000)}`)).status).toBe(200);
      }
      expect(await ask('/api/v2/stop', 'POST')).toMatchObject({ status: 200, json: { stopped: true } });
      disk.free();
      await until('the log goes on', () => readFileSync(path, 'utf8').includes('/api/{version}/stop'));
      disk.fill();
      await ask('/health/live');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
