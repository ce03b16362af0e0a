import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, describeWith } from '../support/components.ts';
import { TOOLS } from '../support/outside/tools.ts';
import { CLIENT, PYTHON, runPython, runPythonTests } from '../support/python-client.ts';
import { run } from '../support/run.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const VERSIONS = ['3.9', '3.10', '3.11', '3.12', '3.13'];
/** These run everything. What works with both hardly fails in between, and that of the system runs it in python-live. */
const ENDS = ['3.9', '3.13'];
const PYENV = join(homedir(), '.pyenv/versions');
const FOLDERS = [...(existsSync(PYENV) ? readdirSync(PYENV).map((name) => join(PYENV, name, 'bin')) : []), '/usr/bin'];

/** An interpreter of this version, if the machine has one. */
function pythonOf(version: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, `python${version}`)).find((path) => existsSync(path));
}

describe.each(VERSIONS)('The Python package robot_rest with Python %s', (version) => {
  const python = pythonOf(version) ?? '';
  describeWhen(python !== '', `Python ${version} is not installed`, 'it', () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
    });
    afterAll(() => service.stop());

    if (ENDS.includes(version)) {
      it('passes its own tests, and does what it promises', async () => {
        // At once: they wait most of the time.
        const [own, live] = await Promise.all([
          runPythonTests('test_*.py', {}, python),
          runPythonTests('live_*.py', { ROBOT_SOCKET: service.socketPath }, python),
        ]);
        expect([own, live]).toEqual([expect.stringMatching(/\nOK\n$/), expect.stringMatching(/\nOK\n$/)]);
      });
    } else {
      it('is imported, and ends its waits as it promises', async () => {
        const environment = { ROBOT_SOCKET: service.socketPath };
        expect(await runPythonTests('test_misuse.py', {}, python)).toMatch(/\nOK\n$/);
        expect(await runPythonTests('live_endings.py', environment, python)).toMatch(/\nOK\n$/);
      });
    }
  });
});

describeWith('Python 3', PYTHON, 'The wheel of robot_rest', () => {
  const build = () =>
    run(PYTHON, ['-B', join(CLIENT, 'build_wheel.py'), temporaryFolder()]).then((path) => path.trim());

  it('is the same whenever it is built, and is installed without network', async () => {
    const [wheel, again] = [await build(), await build()];
    await run('cmp', [wheel, again]);
    for (const python of [PYTHON, ...ENDS.map(pythonOf)]) {
      if (python === undefined) continue;
      const target = temporaryFolder();
      await run(python, ['-m', 'pip', 'install', '-q', '--no-index', '--no-deps', '--target', target, wheel]);
      const program =
        'import robot_rest.sync as r; from importlib.metadata import version; print(r.__file__, version("robot-rest"))';
      const printed = await runPython(['-c', program], { PYTHONPATH: target }, { python, cwd: '/' });
      expect(printed).toBe(`${target}/robot_rest/sync.py 1.0.0\n`);
      expect(readdirSync(join(target, 'robot_rest'))).toContain('py.typed');
      const maker =
        'from robot_rest.robot import Robot; from importlib.metadata import requires; print(requires("robot-rest"))';
      const required = await runPython(['-c', maker], { PYTHONPATH: target }, { python, cwd: '/' });
      expect(required).toBe(`['paho-mqtt>=2 ; extra == "mqtt"']\n`);
    }
  });
});

const MYPY = join(TOOLS, 'python/bin/mypy');
describeWith('mypy', MYPY, 'The types of robot_rest', () => {
  it('satisfy mypy --strict, with those of its tests and examples', async () => {
    const cache = ['--cache-dir', temporaryFolder()];
    const configured = ['--config-file', join(CLIENT, 'pyproject.toml')];
    const printed = await runPython(
      ['-m', 'mypy', ...configured, ...cache],
      {},
      { python: join(TOOLS, 'python/bin/python') },
    );
    expect(printed).toMatch(/^Success: no issues found in \d+ source files\n$/);
  });
});
