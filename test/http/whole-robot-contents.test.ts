import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { unpack } from '../support/robot-archive.ts';
import { RobotHome } from '../support/robot-home.ts';

/** What a robot may have besides what its routes would store: somebody put it there by hand. */
const BY_HAND: Readonly<Record<string, string>> = {
  'skills/broken.py': 'def (:\n',
  'skills/disabled.nap.py': 'x = 1\n',
  'skills/start.sh': 'true\n',
  'skills/~draft.py': 'x = 1\n',
  'skills/lib/deep/tools.py': 'x = 1\n',
  [`skills/${'n'.repeat(252)}.py`]: 'x = 1\n',
  'description/notes of été.txt': 'mine',
  [`description/${'m'.repeat(251)}.stl`]: 'as long as a route takes it',
  'llm_config.yaml': 'a: [\n',
};
/** What no archive holds. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'skills/.hidden.py': 'x = 1\n',
  'skills/.git/config': 'mine',
  'skills/new\nline.py': 'x = 1\n',
  'description/~draft/base.stl': 'mine',
};

const robot = new RobotHome('robot-1');
const put = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(robot.dataDir, path, '..'), { recursive: true });
    writeFileSync(join(robot.dataDir, path), text);
  }
};
beforeAll(async () => {
  await robot.start();
  await robot.add('robots_table', { name: 'Pip' });
  put({ ...BY_HAND, ...LEFT_OUT });
});
afterAll(() => robot.stop());

it('restores every backup of its own, whatever the robot has in its folders', async () => {
  const before = robot.state();
  const { bytes } = await robot.pack();
  const { members, manifest } = unpack(bytes);
  const held = Object.keys(BY_HAND).map((path) => path.replace('llm_config', 'language-model'));
  expect(manifest.files.map(({ path }: { path: string }) => path)).toEqual(expect.arrayContaining(held));
  expect(members.filter((path) => /\/[.]|hidden|new|~draft\/|\.git/.test(path))).toEqual([]);
  expect(manifest.unreadable).toEqual(['language_model']);

  for (const path of Object.keys(BY_HAND)) rmSync(join(robot.dataDir, path));
  writeFileSync(join(robot.dataDir, 'llm_config.yaml'), 'a: 1\n');
  const { status, json } = await robot.restore(bytes);
  expect([status, json.code]).toEqual([200, undefined]);
  expect(robot.state()).toEqual(before);

  expect((await robot.restoreKept(json.backup)).status).toBe(200);
  expect(readFileSync(join(robot.dataDir, 'llm_config.yaml'), 'utf8')).toBe('a: 1\n');
  for (const [path, text] of Object.entries(LEFT_OUT))
    expect([path, readFileSync(join(robot.dataDir, path), 'utf8')]).toEqual([path, text]);
});
