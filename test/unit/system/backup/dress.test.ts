import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { dressLike } from '../../../../functions/system/backup/adapters/dress.ts';
import { temporaryFolder } from '../../../support/world.ts';

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

function folders(mode: number) {
  const home = temporaryFolder();
  const [present, staged] = [join(home, 'skills'), join(home, '.restore-new-skills-1')];
  mkdirSync(present);
  chmodSync(present, mode);
  symlinkSync('/elsewhere.py', join(present, 'linked.py'));
  mkdirSync(join(staged, 'lib'), { recursive: true, mode: 0o700 });
  for (const name of ['greet.py', 'lib/tools.py']) writeFileSync(join(staged, name), name, { mode: 0o600 });
  return { home, present, staged };
}

it.each([
  ['readers of a group', 0o2750, ['2750', '640', '2750', '640']],
  ['everybody', 0o755, ['755', '644', '755', '644']],
])('gives a folder that is restored to %s, like the one before', async (_who, mode, modes) => {
  const { home, present, staged } = folders(mode);
  await dressLike({ part: 'skills', target: present, staged });
  const paths = ['.', 'greet.py', 'lib', 'lib/tools.py'].map((name) => join(staged, name));
  expect(paths.map(modeOf)).toEqual(modes);
  expect(readFileSync(join(staged, 'lib/tools.py'), 'utf8')).toBe('lib/tools.py');
  expect(readlinkSync(join(staged, 'linked.py'))).toBe('/elsewhere.py');
  expect(readdirSync(present)).toEqual(['linked.py']);
  expect(readdirSync(home).sort()).toEqual(['.restore-new-skills-1', 'skills']);
});

it('takes over what no archive holds, and lets the archive win where both have something', async () => {
  const { present, staged } = folders(0o750);
  mkdirSync(join(present, '.git/objects'), { recursive: true });
  mkdirSync(join(present, '__pycache__'));
  for (const name of ['.git/objects/1', 'new\nline.py', '.staged-1', '__pycache__/a.pyc', 'gone.py'])
    writeFileSync(join(present, name), name);
  mkdirSync(join(present, 'greet.py'));
  writeFileSync(join(present, 'greet.py/.hidden'), 'where the archive has a file');
  symlinkSync('/elsewhere', join(present, 'lib'));
  await dressLike({ part: 'skills', target: present, staged });
  const names = readdirSync(staged, { recursive: true, encoding: 'utf8' }).sort();
  expect(names).toEqual(
    ['.git', '.git/objects', '.git/objects/1', 'greet.py', 'lib', 'lib/tools.py', 'linked.py', 'new\nline.py'].sort(),
  );
  expect(readFileSync(join(staged, '.git/objects/1'), 'utf8')).toBe('.git/objects/1');
  expect(readFileSync(join(staged, 'greet.py'), 'utf8')).toBe('greet.py');
});
