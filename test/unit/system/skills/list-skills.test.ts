import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { enableSkill, removeSkill, renameSkill } from '../../../../functions/system/skills/change-skills.ts';
import { downloadSkill } from '../../../../functions/system/skills/download-skill.ts';
import { listSkills } from '../../../../functions/system/skills/list-skills.ts';
import { list, named, upload, useSkills, world } from '../../../support/skill-operations.ts';
import { temporaryFolder } from '../../../support/world.ts';

useSkills();

const summary = async () => (await list()).map(({ name, enabled }) => `${name} ${enabled ? 'on' : 'off'}`);

describe('The list of skills', () => {
  it('shows files added, changed and removed by hand at once', async () => {
    world.put('by_hand.py', 'one');
    world.put('disabled.resting.py', 'two');
    expect(await summary()).toEqual(['by_hand.py on', 'resting.py off']);
    world.put('by_hand.py', 'other');
    expect((await list())[0]).toMatchObject({ size: 5 });
    rmSync(join(world.folder, 'by_hand.py'));
    expect(await summary()).toEqual(['resting.py off']);
  });

  it('shows a broken file with its problem', async () => {
    world.put('x.py', 'INVALID');
    world.put('y.py', 'a\0');
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'x.py', functions: [], problem: 'line 1, column 7: invalid syntax' }),
      expect.objectContaining({ name: 'y.py', problem: 'line 1, column 2: NUL character' }),
    ]);
  });

  it('shows other files as not manageable, and no operation touches them', async () => {
    const outside = join(temporaryFolder(), 'secret.py');
    symlinkSync('/etc/passwd', join(world.folder, 'link.py'));
    symlinkSync(outside, join(world.folder, 'dangling.py'));
    mkdirSync(join(world.folder, 'folder.py'));
    mkdirSync(join(world.folder, '__pycache__'));
    world.put('notes.txt', 'text');
    world.put('two words.py', 'text');
    world.put('bare', 'text');
    world.put('.hidden.py', 'text');
    world.put('huge.py', '');
    truncateSync(join(world.folder, 'huge.py'), 3 * 1024 ** 3);
    const skills = await list();
    expect(skills.map(({ name }) => name)).toEqual([
      'bare',
      'dangling.py',
      'folder.py',
      'huge.py',
      'link.py',
      'notes.txt',
      'two words.py',
    ]);
    for (const skill of skills) {
      expect(skill).toMatchObject({ manageable: false, sha256: null, problem: expect.stringMatching(/./) });
    }
    for (const stem of ['link', 'dangling', 'folder', 'huge']) {
      const gone = { code: 'skill_not_found' };
      await expect(downloadSkill(named(stem), world.files)).rejects.toMatchObject(gone);
      await expect(enableSkill(named(stem), false, world)).rejects.toMatchObject(gone);
      await expect(renameSkill(named(stem), named('other'), world)).rejects.toMatchObject(gone);
      await expect(removeSkill(named(stem), world)).rejects.toMatchObject(gone);
    }
    expect(await list()).toEqual(skills);
  });

  it('shows a skill next to a link named like its other form', async () => {
    symlinkSync('/etc/passwd', join(world.folder, 'x.py'));
    world.put('disabled.x.py', 'text');
    expect((await downloadSkill(named('x'), world.files)).bytes.toString()).toBe('text');
    await expect(enableSkill(named('x'), true, world)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is empty when the folder is missing, which the next upload creates', async () => {
    rmSync(world.folder, { recursive: true });
    expect(await list()).toEqual([]);
    await expect(removeSkill(named('x'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
    await upload('x.py', 'text');
    expect(await summary()).toEqual(['x.py on']);
  });

  it('is sorted by name', async () => {
    for (const name of ['b.py', 'notes.txt', 'z.py', 'A.md', '～.md', '😀.md']) world.put(name, 'pass');
    const names = (await listSkills(world)).skills.map((skill) => skill.name);
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(6);
  });

  it('omits a file that vanishes meanwhile, after a second look', async () => {
    world.put('x.py', 'pass');
    world.put('y.py', 'pass');
    const read = world.files.read.bind(world.files);
    let left = 1;
    const reading = jest
      .spyOn(world.files, 'read')
      .mockImplementation(async (name) => (name === 'x.py' && left-- > 0 ? undefined : read(name)));
    const names = async () => (await listSkills(world)).skills.map(({ name }) => name);
    expect(await names()).toEqual(['x.py', 'y.py']);
    left = Number.POSITIVE_INFINITY;
    expect(await names()).toEqual(['y.py']);
    reading.mockRestore();
  });

  it('reports a file that vanishes while it is used as a conflict', async () => {
    world.put('x.py', 'pass');
    const reading = jest.spyOn(world.files, 'read').mockResolvedValue(undefined);
    const gone = { code: 'conflict', message: expect.stringContaining('Another program has just changed x.py') };
    await expect(downloadSkill(named('x'), world.files)).rejects.toMatchObject(gone);
    await expect(enableSkill(named('x'), false, world)).rejects.toMatchObject(gone);
    reading.mockRestore();
    expect(world.contents()).toEqual({ 'x.py': 'pass' });
  });

  it('fails when a file is in the place of the folder', async () => {
    rmSync(world.folder, { recursive: true });
    symlinkSync('/etc/passwd', world.folder);
    await expect(list()).rejects.toMatchObject({ code: 'component_unavailable' });
    await expect(upload('x.py', 'text')).rejects.toMatchObject({ code: 'component_unavailable' });
  });
});
