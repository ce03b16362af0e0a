import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshEnvironment, type ServiceProcess, startProcess } from '../support/process.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const home = temporaryFolder();
let service: ServiceProcess;
beforeAll(async () => {
  service = await startProcess({ HOME: home });
});
afterAll(() => service.end());

function session(): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return /^## A first session$[\s\S]*?^```bash\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
}

/** A folder that looks like the project's, so that the session leaves no file in the real one. */
function likeTheProject(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(ROOT)) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

describe('The curl session of the README', () => {
  it('works word for word, but for where the service listens', async () => {
    const script = session()
      .replace('ROBOT=http://127.0.0.1:8000', `ROBOT=${service.url}`)
      .replace('SOCKET=/tmp/rest_api.sock', `SOCKET=${service.socketPath}`);
    expect(script).toContain(service.url);
    expect(script).toContain(service.socketPath);
    const cwd = likeTheProject();
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: freshEnvironment({ HOME: home }),
    });
    expect(stdout).toContain('"access_level":"ENCHANTER"');
    expect(stdout).toContain('"command":"sound_level","value":40');
    expect(stdout).toContain('"awaited":true');
    expect(stdout).toContain('"stopped":true');
    expect(stdout).toContain('"alg":"ES256"');
    expect(stdout).toContain('"access_level":"ADMIN"');
    expect(readdirSync(cwd).filter((name) => name.endsWith('.txt'))).toEqual([]);
  }, 60_000);
});
