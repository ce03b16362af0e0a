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
  await dressLike(present, staged);
  const paths = ['.', 'greet.py', 'lib', 'lib/tools.py'].map((name) => join(staged, name));
  expect(paths.map(modeOf)).toEqual(modes);
  expect(readFileSync(join(staged, 'lib/tools.py'), 'utf8')).toBe('lib/tools.py');
  expect(readlinkSync(join(staged, 'linked.py'))).toBe('/elsewhere.py');
  expect(readdirSync(present)).toEqual(['linked.py']);
  expect(readdirSync(home).sort()).toEqual(['.restore-new-skills-1', 'skills']);
});
