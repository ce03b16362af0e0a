import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { STAGED, unfinishedName } from '../../../../functions/shared/kit/files/leftovers.ts';
import { openSkillFiles } from '../../../../functions/system/skills/adapters/folder/open.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../support/world.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = temporaryFolder();
  folder = join(home, 'skills');
});
const open = (settings: Record<string, string> = {}) =>
  openSkillFiles(
    testConfig({ HOME: home, SERVICE_MODE: 'robot', SERVICE_SKILLS_DIR: folder, ...settings }),
    silentLogger,
  );

describe('A skill uploaded with the umask of the installed service', () => {
  const modeIn = async (folderMode: number) => {
    mkdirSync(folder);
    chmodSync(folder, folderMode);
    const files = await open();
    const before = process.umask(0o077);
    try {
      await (await files.stage(Buffer.from('pass\n'))).placeAs('wave.py');
    } finally {
      process.umask(before);
    }
    return statSync(join(folder, 'wave.py')).mode & 0o7777;
  };

  it('is readable by the group of a setgid folder', async () => {
    expect(await modeIn(0o2750)).toBe(0o640);
  });

  it('is readable by that group even when it is older than the group', async () => {
    mkdirSync(folder);
    for (const name of ['disabled.old.py', 'notes.txt']) writeFileSync(join(folder, name), '', { mode: 0o600 });
    writeFileSync(join(home, 'outside.py'), '', { mode: 0o600 });
    symlinkSync(join(home, 'outside.py'), join(folder, 'link.py'));
    if (process.getuid?.() === 0) chownSync(folder, 0, 54_321);
    chmodSync(folder, 0o2750);
    await open();
    const { mode, gid } = statSync(join(folder, 'disabled.old.py'));
    expect([mode & 0o7777, gid]).toEqual([0o640, statSync(folder).gid]);
    for (const path of [join(folder, 'notes.txt'), join(home, 'outside.py')])
      expect(statSync(path).mode & 0o7777).toBe(0o600);
  });

  it('is readable by nobody else in any other folder', async () => {
    expect(await modeIn(0o750)).toBe(0o600);
  });
});

describe('The skills folder', () => {
  it('is created when missing, empty on a real robot', async () => {
    await open();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('starts with the packaged examples in simulation', async () => {
    await open({ SERVICE_MODE: 'sim' });
    expect(readdirSync(folder).sort()).toEqual(['look_around.py', 'wave_hello.py']);
    expect(readdirSync(home)).toEqual(['skills']);
  });

  it('is left alone when it exists, even empty', async () => {
    mkdirSync(folder);
    await open({ SERVICE_MODE: 'sim' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gets its examples once when two services start at the same time', async () => {
    await Promise.all([open({ SERVICE_MODE: 'sim' }), open({ SERVICE_MODE: 'sim' })]);
    expect(readdirSync(folder).sort()).toEqual(['look_around.py', 'wave_hello.py']);
    expect(readdirSync(home)).toEqual(['skills']);
  });

  it('may be a symbolic link', async () => {
    const real = temporaryFolder();
    symlinkSync(real, folder);
    const files = await open();
    await (await files.stage(Buffer.from('text'))).placeAs('x.py');
    expect(readFileSync(join(real, 'x.py'), 'utf8')).toBe('text');
  });

  it('does not prevent startup when it cannot be created', async () => {
    writeFileSync(folder, 'a file');
    const files = await open();
    await expect(files.list()).rejects.toMatchObject({ code: 'component_unavailable' });
  });

  it('shows a name that is not UTF-8', async () => {
    const files = await open();
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff]), Buffer.from('.py')]), 'text');
    expect(await files.list()).toEqual([expect.objectContaining({ name: 'x\ufffd.py', size: 4 })]);
  });
});

describe('A file left by killed uploads', () => {
  const foreign = `${STAGED}${process.pid}-0123456789abcdef`;
  const DEAD = 4_194_304; // one more than the largest process number

  it.each([
    ['a process that is gone', foreign.replace(/\d+/, String(DEAD)), 0, false],
    ['an earlier process with our number', foreign, 0, false],
    ['an upload of our own under way', unfinishedName(STAGED), 0, true],
    ['a process at work', foreign.replace(/\d+/, '1'), 0, true],
    ['a number in use by another process for long', foreign.replace(/\d+/, '1'), 7200, false],
    ['somebody else', '.staged-by-hand', 7200, true],
  ])('by %s is checked at startup', async (_who, name, age, kept) => {
    mkdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, 'half');
    const then = Date.now() / 1000 - age;
    utimesSync(path, then, then);
    await open();
    expect(existsSync(path)).toBe(kept);
  });
});

describe('A file of the folder', () => {
  it('is invisible until placed, and leaves nothing behind otherwise', async () => {
    const files = await open();
    const staged = await files.stage(Buffer.from('text'));
    expect(await files.list()).toEqual([]);
    await staged.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is never moved over another', async () => {
    const files = await open();
    writeFileSync(join(folder, 'x.py'), 'x');
    writeFileSync(join(folder, 'y.py'), 'y');
    await expect(files.move('x.py', 'y.py')).rejects.toMatchObject({ code: 'already_exists' });
    expect(readFileSync(join(folder, 'y.py'), 'utf8')).toBe('y');
    await files.move('x.py', 'z.py');
    expect(readdirSync(folder).sort()).toEqual(['y.py', 'z.py']);
  });

  it('is never read through a symbolic link or a pipe', async () => {
    const files = await open();
    symlinkSync('/etc/passwd', join(folder, 'link.py'));
    execFileSync('mkfifo', [join(folder, 'pipe.py')]);
    expect(await files.read('link.py')).toBeUndefined();
    expect(await files.read('pipe.py')).toBeUndefined();
    expect(await files.read('absent.py')).toBeUndefined();
  });

  it('may have a second hard link', async () => {
    const files = await open();
    writeFileSync(join(folder, 'x.py'), 'x');
    linkSync(join(folder, 'x.py'), join(folder, 'y.py'));
    await files.remove('x.py');
    expect((await files.read('y.py'))?.bytes.toString()).toBe('x');
  });
});
