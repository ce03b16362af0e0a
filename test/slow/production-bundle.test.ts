import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const SOURCES = [
  'clients/python/src',
  'clients/typescript/src',
  'console/src',
  'deploy',
  'examples',
  'functions',
  'local-host',
  'robot',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** A checkout of its own, since building and breaking sources must not touch the one under test. */
function checkout(): string {
  const folder = temporaryFolder('checkout-');
  for (const part of SOURCES) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const environment = (folder: string) => ({
  PATH: process.env.PATH,
  HOME: folder,
  SERVICE_PORT: '0',
  SERVICE_SOCKET_PATH: '',
});
const run = (folder: string, script: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(folder, 'scripts', script), ...words], {
    cwd: folder,
    env: environment(folder),
    encoding: 'utf8',
  });
const present = (folder: string) => readlinkSync(join(folder, 'dist', 'current'));

describe('The production bundle', () => {
  let folder: string;
  beforeAll(() => {
    folder = checkout();
  });

  it('is built at the first start, printing nothing but the output of the command', () => {
    const { status, stdout } = run(folder, 'start.mjs', 'api-key', 'create', '--name', 'test', '--level', 'USER');
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^rk_[\w-]{43}\n$/) });
  });

  it('is reused while the sources are unchanged, and rebuilt when one changes', () => {
    const first = present(folder);
    run(folder, 'start.mjs', 'api-key', 'list');
    expect(present(folder)).toBe(first);
    appendFileSync(join(folder, 'functions/shared/kit/json.ts'), '// changed\n');
    run(folder, 'start.mjs', 'api-key', 'list');
    expect(present(folder)).not.toBe(first);
  });

  it('serves in the started process, including its documentation page and console, and exits with 0', async () => {
    const child = spawn(process.execPath, [join(folder, 'scripts/start.mjs')], { env: environment(folder) });
    try {
      const url = await addressOf(child);
      const style = await http(url, '/docs/swagger-ui.css');
      expect({ status: style.status, type: style.headers['content-type'] }).toEqual({
        status: 200,
        type: 'text/css; charset=utf-8',
      });
      const page = await http(url, '/', { headers: { accept: 'text/html' } });
      const script = /src="([^"]+)"/.exec(page.text)?.[1];
      expect((await http(url, `/${script}`, { headers: { 'accept-encoding': 'br' } })).headers).toMatchObject({
        'content-encoding': 'br',
        'content-type': 'text/javascript; charset=utf-8',
      });
      expect((await http(url, '/openapi.json')).json.info.version).toBe('1.0.0');
      expect((await http(url, '/health/ready')).json.status).toBe('ready');
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is unchanged when a build is killed, and is one of the builds when several run concurrently', async () => {
    const wheel = join(folder, 'dist', 'robot_rest-1.0.0-py3-none-any.whl');
    writeFileSync(wheel, 'not of a build');
    utimesSync(wheel, 0, 0);
    const before = present(folder);
    const killed = spawn(process.execPath, [join(folder, 'scripts/build.mjs')]);
    await newEntryIn(join(folder, 'dist'));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(present(folder)).toBe(before);

    const builds = [1, 2, 3].map(() => spawn(process.execPath, [join(folder, 'scripts/build.mjs')]));
    const ends = await Promise.all(builds.map((build) => once(build, 'exit')));
    expect(ends).toEqual([1, 2, 3].map(() => [0, null]));
    expect(run(folder, 'start.mjs', 'api-key', 'list').status).toBe(0);
    expect(existsSync(wheel)).toBe(true);
  });

  it('fails the start with exit status 1 and the reason if it cannot be built, and keeps the previous one', () => {
    const before = present(folder);
    appendFileSync(join(folder, 'functions/shared/access.ts'), 'this is no TypeScript\n');
    const { status, stdout, stderr } = run(folder, 'start.mjs', 'api-key', 'list');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('functions/shared/access.ts');
    expect(present(folder)).toBe(before);
  });
});

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the service has no stdout');
  child.stderr?.resume();
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /Listening on (http:\S+?);? /.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the service ended before it listened');
}

/** Waits for a build to have begun. */
async function newEntryIn(dist: string): Promise<void> {
  while (!readdirSync(dist).some((entry) => entry.startsWith('building-'))) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
