import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { freshEnvironment, runToEnd, startProcess } from '../support/process.ts';
import { runReadmeSession, SESSION_PRINTS } from '../support/readme-session.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

/** The build as it lies on a robot: no sources, no other packages, in a folder of another name. */
describe('The build folder, copied to another machine', () => {
  const home = temporaryFolder();
  const folder = join(temporaryFolder(), 'robot rest');
  beforeAll(async () => {
    await runToEnd(['api-key', 'list'], freshEnvironment({ HOME: home })); // builds when there is no present build
    cpSync(realpathSync(join(ROOT, 'dist', 'current')), folder, { recursive: true });
  });

  it('serves the README session, its commands and its documentation page', async () => {
    const service = await startProcess({ HOME: home }, join(folder, 'main.js'));
    try {
      const stdout = await runReadmeSession(service, home, folder);
      for (const text of SESSION_PRINTS) expect(stdout).toContain(text);
      expect((await http(service.url, '/docs/swagger-ui.css')).status).toBe(200);
      expect((await http(service.url, '/openapi.json')).json.info.version).toBe('1.0.0');
      expect((await http(service.url, '/health/ready')).json.status).toBe('ready');
    } finally {
      expect(await service.end()).toEqual({ code: 0, signal: null });
    }
  });

  it('opens a database with the native module it contains', async () => {
    const program =
      "import Database from 'better-sqlite3'; console.log(new Database(':memory:').pragma('journal_mode'))";
    const options = { cwd: folder, env: freshEnvironment() };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options);
    expect(stdout).toContain('memory');
  });

  it('has a build id, and contains nothing that only developers need', () => {
    expect(readFileSync(join(folder, 'build-id'), 'utf8')).toMatch(/^1\.0\.0-[0-9a-f]{16}-[0-9a-f]{8}\n$/);
    expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual([
      'better-sqlite3',
      'bindings',
      'file-uri-to-path',
    ]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const example of ['robot-mqtt.py', 'mosquitto/acl', 'rosbridge/nav2.yaml', 'three-js/robot.js']) {
      expect(files).toContain(`examples/${example}`);
    }
    expect(files.filter((file) => /\.ts$|(^|\/)(test|src|deps)\//.test(file))).toEqual([]);
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBeLessThan(30 * 1024 ** 2);
  });
});
