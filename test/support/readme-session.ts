import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freshEnvironment, type ServiceProcess } from './process.ts';
import { ROOT } from './sources.ts';

/** What is typed in the README's first session, word for word. */
function session(): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return /^## A first session$[\s\S]*?^```bash\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
}

/**
 * Types the README's session in a folder, with this service in place of the one it names.
 * @returns what it printed. Throws when one of its lines fails, with what it had printed by then.
 */
export async function runReadmeSession(service: ServiceProcess, home: string, cwd: string): Promise<string> {
  const script = session()
    .replace('ROBOT=http://127.0.0.1:8000', `ROBOT=${service.url}`)
    .replace('SOCKET=/tmp/rest_api.sock', `SOCKET=${service.socketPath}`);
  if (!script.includes(service.url) || !script.includes(service.socketPath)) {
    throw new Error('the session does not say where the service listens');
  }
  const typed = promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', script.replaceAll('curl -f', 'curl --fail-with-body -')],
    {
      cwd,
      env: freshEnvironment({ HOME: home }),
    },
  );
  const { stdout } = await typed.catch(({ message, stdout: printed }) => {
    throw new Error(`${message}\n${printed}`);
  });
  return stdout;
}

/** What the session prints when it works. */
export const SESSION_PRINTS = [
  '"name":"go_to_relative"',
  '"command":"sound_level","value":40',
  '"awaited":true',
  '"stopped":true',
  'event: snapshot',
  '"alg":"ES256"',
  '"access_level":"ADMIN"',
];
