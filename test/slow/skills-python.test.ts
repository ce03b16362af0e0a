import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openPythonParser } from '../../functions/system/skills/adapters/python/open.ts';
import { uploadSkill } from '../../functions/system/skills/change-skills.ts';
import { describeWith } from '../support/components.ts';
import { hostileFiles } from '../support/hostile-python.ts';
import { Random } from '../support/random.ts';
import { skillWorld } from '../support/skills.ts';
import { ROOT } from '../support/sources.ts';
import { loggerInto, silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const PYTHON = '/usr/bin/python3';
const SEED = 20_261_121;
const signal = new AbortController().signal;
const parser = (interpreter = PYTHON) =>
  openPythonParser(testConfig({ SERVICE_SKILL_PYTHON: interpreter }), silentLogger);
const parse = (source: string | Buffer) => parser().parse(Buffer.from(source as string), signal); // as: Buffer.from takes both

/** A program in the place of the interpreter. */
async function interpreter(script: string): Promise<string> {
  const path = join(temporaryFolder(), 'python3');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describeWith('Python 3', PYTHON, 'Skills and Python', () => {
  describe('The functions of a skill', () => {
    it.each([
      ['bare', '@skill\ndef f(): 0', [{ name: 'f' }]],
      ['called', '@skill()\ndef f(): 0', [{ name: 'f' }]],
      ['an attribute', '@robot.skill\ndef f(): 0', [{ name: 'f' }]],
      ['a called attribute', '@a.b.skill(1)\ndef f(): 0', [{ name: 'f' }]],
      ['asynchronous', '@skill\nasync def f(): 0', [{ name: 'f' }]],
      ['one of several decorators', '@a\n@skill\n@b(1)\ndef f(): 0', [{ name: 'f' }]],
      ['a method', 'class A:\n @skill\n def f(self): 0', [{ name: 'f' }]],
      ['inside a block', 'try:\n  if 1:\n    @skill\n    def f(): 0\nfinally:\n  pass', [{ name: 'f' }]],
      ['a level as a text', '@skill(access_level="ADMIN")\ndef f(): 0', [{ name: 'f', access_level: 'ADMIN' }]],
      ['a level of an enumeration', '@skill(access_level=L.USER)\ndef f(): 0', [{ name: 'f', access_level: 'USER' }]],
      ['a level by its value', '@skill(access_level=L.USER.value)\ndef f(): 0', [{ name: 'f', access_level: 'USER' }]],
      ['a level by a name', '@skill(access_level=USER)\ndef f(): 0', [{ name: 'f', access_level: 'USER' }]],
      ['a level that is computed', '@skill(access_level=g())\ndef f(): 0', [{ name: 'f', access_level: 'unknown' }]],
      ['a level among others', '@skill(**given)\ndef f(): 0', [{ name: 'f', access_level: 'unknown' }]],
      ['a description', '@skill(description="a" "b")\ndef f():\n "doc"', [{ name: 'f', description: 'ab' }]],
      ['a docstring', '@skill\ndef f():\n """ One\n    two. """', [{ name: 'f', description: 'One\ntwo.' }]],
      [
        'a description that is computed',
        '@skill(description=x)\ndef f():\n "doc"',
        [{ name: 'f', description: 'doc' }],
      ],
      [
        'in their order',
        '@skill\ndef b(): 0\nclass A:\n @skill\n def c(self): 0\n@skill\ndef a(): 0',
        ['b', 'c', 'a'].map((name) => ({ name })),
      ],
      ['not a class', '@skill\nclass A: 0', []],
      ['not another decorator', '@skills\n@skill.x\n@notskill\ndef f(): 0', []],
      ['not a call of skill()', 'skill(f)\ndef f(): 0', []],
      ['named in another script', '@skill\ndef grüßen(): 0', [{ name: 'grüßen' }]],
    ])('%s', async (_what, source, functions) => {
      const verdict = await parse(source);
      const found = verdict.kind === 'valid' ? verdict.functions.map(({ args: _args, ...others }) => others) : verdict;
      expect(found).toEqual(functions);
    });

    it.each(readdirSync(join(ROOT, 'robot/skills')))('are found in the example %s', async (name) => {
      const verdict = await parse(readFileSync(join(ROOT, 'robot/skills', name)));
      const described = {
        name: name.replace('.py', ''),
        access_level: expect.any(String),
        description: expect.any(String),
        args: expect.objectContaining({ type: 'object', required: [] }),
      };
      expect(verdict).toEqual({ kind: 'valid', functions: [described] });
    });
  });

  describe('A source that is not Python', () => {
    it.each([
      ['def f(:\n', 1, 7],
      ['x = 1\n  y = 2\n', 2, undefined],
      ['def f():\n    pass\nreturn 1\n', 3, 1],
      ['x = "ü" +\n', 1, 10],
      ['class A:\n  def f(a, a): 0\n', 2, 12],
      ['x = "üüü"; return 1', 1, 12],
      ['\ufeffx = "ü" )', 1, 9],
      ['# coding: rot13\npass\n', undefined, undefined],
    ])('is rejected with line and column: %j', async (source, line, column) => {
      const verdict = await parse(source);
      expect(verdict).toMatchObject({
        kind: 'invalid',
        ...(line && { line }),
        ...(column === undefined ? {} : { column }),
      });
    });

    it('gets the same verdict from the cache', async () => {
      const same = parser();
      const first = await same.parse(Buffer.from('def'), signal);
      expect(await same.parse(Buffer.from('def'), signal)).toBe(first);
    });
  });

  describe('200 hostile or broken files', () => {
    const marker = join(temporaryFolder(), 'marker');
    const evil = `__import__("pathlib").Path(${JSON.stringify(marker)}).touch()`;

    it('are each stored or rejected, and never run', async () => {
      const world = await skillWorld(parser());
      const outcomes = new Map<string, Set<string>>();
      const files = hostileFiles(200, new Random(SEED), evil);
      for (const { kind, bytes } of files) {
        const outcome = await uploadSkill({ stem: 'x', disabled: false }, bytes, world).then(
          ({ skill }) => `stored ${skill.size === bytes.length}`,
          (error: { code: string }) => error.code,
        );
        outcomes.set(kind, (outcomes.get(kind) ?? new Set()).add(outcome));
      }
      const all = new Set([...outcomes.values()].flatMap((each) => [...each]));
      expect([...all].sort()).toEqual(['invalid_python', 'stored true']);
      expect(outcomes.get('runs on import')).toEqual(new Set(['stored true']));
      for (const kind of ['has NUL bytes', 'is UTF-16', 'is Latin-1', 'names no real coding', 'means nothing']) {
        expect([kind, outcomes.get(kind)]).toEqual([kind, new Set(['invalid_python'])]);
      }
      expect(existsSync(marker)).toBe(false);
      expect(readdirSync(world.folder)).toEqual(['x.py']);
    });
  });

  describe('The interpreter', () => {
    it.each([
      ['is absent', async () => '/nowhere/python3'],
      ['is no program', async () => '/etc/passwd'],
      ['fails before it begins', () => interpreter('echo "no such version" >&2; exit 127')],
      ['is something else', () => interpreter('cat >/dev/null; echo hello')],
    ])('leaves sources unvalidated if it %s', async (_what, make) => {
      expect(await parser(await make()).parse(Buffer.from('pass'), signal)).toEqual({ kind: 'unknown' });
    });

    it('is reported in the log once when missing, and again after it was back in between', async () => {
      const lines: string[] = [];
      const log = loggerInto(lines, 'warn');
      const path = join(temporaryFolder(), 'python3');
      const absent = openPythonParser(testConfig({ SERVICE_SKILL_PYTHON: path }), log);
      const parseSome = (source: string) => absent.parse(Buffer.from(source), signal);
      await parseSome('1');
      await parseSome('2');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('SERVICE_SKILL_PYTHON');
      await symlink(PYTHON, path);
      expect(await parseSome('3')).toMatchObject({ kind: 'valid' });
      await rm(path);
      await parseSome('4');
      expect(lines).toHaveLength(2);
    });

    it.each([
      ['dies of a signal', 'echo READY; kill -SEGV $$'],
      ['says nothing more', 'echo READY'],
      ['says something else', 'echo READY; echo "{\\"kind\\":\\"valid\\"}"'],
      ['talks without end', 'echo READY; exec cat /dev/zero'],
    ])('counts as crashed by the source if it %s once started', async (_what, script) => {
      const verdict = await parser(await interpreter(script)).parse(Buffer.from('pass'), signal);
      expect(verdict).toMatchObject({ kind: 'invalid' });
    });

    it('is killed with its children after its time limit if it hangs', async () => {
      const pidFile = join(temporaryFolder(), 'pid');
      const script = `echo READY\nsleep 600 &\necho $! > ${pidFile}\nwait`;
      const verdict = await parser(await interpreter(script)).parse(Buffer.from('pass'), signal);
      expect(verdict).toMatchObject({ kind: 'invalid' });
      const pid = readFileSync(pidFile, 'utf8').trim();
      // Killed, though perhaps not yet reaped by whoever inherited it.
      const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] : 'Z';
      expect(state).toBe('Z');
    });

    it('is killed when nobody waits for its result', async () => {
      const gone = new AbortController();
      const hanging = parser(await interpreter('echo READY; exec sleep 600')).parse(Buffer.from('pass'), gone.signal);
      gone.abort(new Error('hung up'));
      await expect(hanging).rejects.toThrow('hung up');
    });

    it('only inherits the environment of child processes', async () => {
      const seen = join(temporaryFolder(), 'environment');
      const config = testConfig({
        SERVICE_SKILL_PYTHON: await interpreter(`env > ${seen}; cat >/dev/null`),
        SERVICE_API_KEYS: '[]',
        PYTHONPATH: '/x',
      });
      await openPythonParser(config, silentLogger).parse(Buffer.from('pass'), signal);
      const names = readFileSync(seen, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0] ?? '');
      expect(names.filter((name) => !['PATH', 'HOME', 'LANG', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual(
        [],
      );
    });
  });
});
