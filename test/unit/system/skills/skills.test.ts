import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  enableSkill,
  removeSkill,
  renameSkill,
  uploadedName,
  uploadSkill,
} from '../../../../functions/system/skills/change-skills.ts';
import { downloadSkill } from '../../../../functions/system/skills/download-skill.ts';
import { listSkills } from '../../../../functions/system/skills/list-skills.ts';
import { readSkillName, type SkillName } from '../../../../functions/system/skills/skill-name.ts';
import { type SkillWorld, skillWorld } from '../../../support/skills.ts';
import { temporaryFolder } from '../../../support/world.ts';

let world: SkillWorld;
beforeEach(async () => {
  world = await skillWorld();
});

function named(text: string): SkillName {
  const name = readSkillName(text);
  if (!name) throw new Error(`${text} is no skill name`);
  return name;
}
const upload = (name: string, text: string) => uploadSkill(named(name), Buffer.from(text), world);
const list = async () => (await listSkills(world)).skills;
const summary = async () => (await list()).map(({ name, enabled }) => `${name} ${enabled ? 'on' : 'off'}`);

describe('Uploading', () => {
  it('stores the bytes and describes what it stored', async () => {
    const { message, skill, replaced } = await upload('x.py', 'pass\n');
    expect(world.contents()).toEqual({ 'x.py': 'pass\n' });
    expect({ message, replaced }).toEqual({ message: 'The skill x.py was uploaded.', replaced: false });
    expect(skill).toEqual({
      name: 'x.py',
      enabled: true,
      size: 5,
      modified_at: new Date(statSync(join(world.folder, 'x.py')).mtimeMs).toISOString(),
      sha256: createHash('sha256').update('pass\n').digest('hex'),
      functions: [{ name: 'found' }],
    });
    expect(await list()).toEqual([skill]);
  });

  it.each([
    ['x', 'x.py', true],
    ['disabled.x.py', 'disabled.x.py', false],
    ['disabled.x', 'disabled.x.py', false],
  ])('under the name %s makes %s', async (name, file, enabled) => {
    expect((await upload(name, '1')).skill).toMatchObject({ name: 'x.py', enabled });
    expect(Object.keys(world.contents())).toEqual([file]);
  });

  it.each([
    ['x.py', 'x.py'],
    ['x.py', 'disabled.x.py'],
    ['disabled.x.py', 'x.py'],
    ['disabled.x.py', 'disabled.x.py'],
  ])('%s is replaced by %s, and only that is left', async (before, after) => {
    await upload(before, 'old');
    expect(await upload(after, 'new')).toMatchObject({ replaced: true, message: 'The skill x.py was replaced.' });
    expect(world.contents()).toEqual({ [after]: 'new' });
  });

  it('leaves one form where two were', async () => {
    world.put('x.py', 'a');
    world.put('disabled.x.py', 'b');
    await upload('disabled.x.py', 'c');
    expect(world.contents()).toEqual({ 'disabled.x.py': 'c' });
  });

  it('refuses what is no Python, with line and column, and changes nothing', async () => {
    await upload('x.py', 'old');
    await expect(upload('x.py', 'INVALID')).rejects.toMatchObject({
      code: 'invalid_python',
      message: 'x.py is not valid Python: line 1, column 7: invalid syntax.',
      errors: [{ pointer: '/skill', message: 'line 1, column 7: invalid syntax' }],
    });
    expect(world.contents()).toEqual({ 'x.py': 'old' });
  });

  it('refuses a file name no skill can have, with the reason', () => {
    expect(() => uploadedName('../x.py')).toThrow(
      expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ pointer: '/skill' })] }),
    );
  });

  it.each(['x.py', 'disabled.x.py'])('leaves a link alone that lies under the name %s', async (name) => {
    const outside = join(temporaryFolder(), 'outside.py');
    symlinkSync(outside, join(world.folder, name));
    await expect(upload('x.py', 'new')).rejects.toMatchObject({ code: 'conflict' });
    expect(() => statSync(outside)).toThrow('ENOENT');
  });

  it('says when it could not be validated', async () => {
    world = await skillWorld({ parse: async () => ({ kind: 'unknown' }) });
    expect((await upload('x.py', 'pass')).skill).toMatchObject({ validated: false, functions: [] });
  });
});

describe('Enabling and disabling', () => {
  it.each(['x', 'x.py', 'disabled.x', 'disabled.x.py'])('takes the name as %s', async (name) => {
    await upload('x.py', 'text');
    expect(await enableSkill(named(name), false, world)).toMatchObject({
      message: 'The skill x.py was disabled.',
      skill: { name: 'x.py', enabled: false },
    });
    expect(world.contents()).toEqual({ 'disabled.x.py': 'text' });
    expect((await enableSkill(named(name), true, world)).skill.enabled).toBe(true);
    expect(world.contents()).toEqual({ 'x.py': 'text' });
  });

  it('to the state it is in changes nothing', async () => {
    const { skill } = await upload('x.py', 'text');
    expect((await enableSkill(named('x'), true, world)).skill).toEqual(skill);
  });

  it('an unknown skill is skill_not_found', async () => {
    await expect(enableSkill(named('x'), true, world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('Both forms of one skill', () => {
  beforeEach(() => {
    world.put('x.py', 'enabled text');
    world.put('disabled.x.py', 'disabled text');
  });

  it('are listed once: the enabled one counts, and the list says so', async () => {
    expect(await list()).toEqual([expect.objectContaining({ name: 'x.py', enabled: true, conflict: true, size: 12 })]);
    expect((await downloadSkill(named('disabled.x.py'), world.files)).bytes.toString()).toBe('enabled text');
  });

  it('become one by disabling: the one that counts takes the place of the other', async () => {
    const { skill } = await enableSkill(named('x'), false, world);
    expect(skill).not.toHaveProperty('conflict');
    expect(world.contents()).toEqual({ 'disabled.x.py': 'enabled text' });
  });

  it('are left alone by enabling, which asks for what counts already', async () => {
    expect((await enableSkill(named('x'), true, world)).skill).toMatchObject({ enabled: true, conflict: true });
    expect(Object.keys(world.contents())).toHaveLength(2);
  });

  it('are both removed', async () => {
    await removeSkill(named('x'), world);
    expect(world.contents()).toEqual({});
  });

  it('are not renamed: neither would be lost', async () => {
    await expect(renameSkill(named('x'), named('y'), world)).rejects.toMatchObject({ code: 'conflict' });
    expect(Object.keys(world.contents())).toHaveLength(2);
  });
});

describe('Renaming', () => {
  it.each([
    ['x.py', 'x', 'y', 'y.py'],
    ['x.py', 'x.py', 'y.py', 'y.py'],
    ['x.py', 'disabled.x', 'y', 'y.py'],
    ['x.py', 'x', 'disabled.y.py', 'disabled.y.py'],
    ['disabled.x.py', 'x.py', 'y.py', 'disabled.y.py'],
    ['disabled.x.py', 'x', 'disabled.y', 'disabled.y.py'],
    ['x.py', 'x', 'x.py', 'x.py'],
    ['x.py', 'x', 'disabled.x', 'disabled.x.py'],
    ['disabled.x.py', 'x', 'x.py', 'disabled.x.py'],
  ])('%s from %s to %s makes %s', async (before, from, to, after) => {
    await upload(before, 'text');
    const { skill } = await renameSkill(named(from), named(to), world);
    expect(world.contents()).toEqual({ [after]: 'text' });
    expect(await list()).toEqual([skill]);
  });

  it.each(['y.py', 'disabled.y.py'])('onto %s is refused, and nothing changes', async (taken) => {
    await upload('x.py', 'x');
    await upload(taken, 'y');
    const before = world.contents();
    for (const to of ['y', 'disabled.y']) {
      await expect(renameSkill(named('x'), named(to), world)).rejects.toMatchObject({ code: 'already_exists' });
    }
    expect(world.contents()).toEqual(before);
  });

  it('onto a link is refused', async () => {
    await upload('x.py', 'x');
    symlinkSync('/nowhere', join(world.folder, 'y.py'));
    await expect(renameSkill(named('x'), named('y'), world)).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('an unknown skill is skill_not_found', async () => {
    await expect(renameSkill(named('x'), named('y'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('Removing', () => {
  it.each(['x.py', 'disabled.x.py'])('%s answers the skill as it was', async (file) => {
    const { skill } = await upload(file, 'text');
    expect(await removeSkill(named('x'), world)).toEqual({ message: 'The skill x.py was removed.', skill });
    expect(world.contents()).toEqual({});
    await expect(removeSkill(named('x'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('The folder is the truth', () => {
  it('files put there, changed and taken away by hand are seen at once', async () => {
    world.put('by_hand.py', 'one');
    world.put('disabled.resting.py', 'two');
    expect(await summary()).toEqual(['by_hand.py on', 'resting.py off']);
    world.put('by_hand.py', 'other');
    expect((await list())[0]).toMatchObject({ size: 5 });
    rmSync(join(world.folder, 'by_hand.py'));
    expect(await summary()).toEqual(['resting.py off']);
  });

  it('a broken file put there by hand is listed with what is wrong with it', async () => {
    world.put('x.py', 'INVALID');
    world.put('y.py', 'a\0');
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'x.py', functions: [], problem: 'line 1, column 7: invalid syntax' }),
      expect.objectContaining({ name: 'y.py', problem: 'line 1, column 2: a NUL character stands here' }),
    ]);
  });

  it('whatever else lies there is listed as not manageable, and every operation leaves it alone', async () => {
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

  it('a link in the place of one form does not hide the other', async () => {
    symlinkSync('/etc/passwd', join(world.folder, 'x.py'));
    world.put('disabled.x.py', 'text');
    expect((await downloadSkill(named('x'), world.files)).bytes.toString()).toBe('text');
    await expect(enableSkill(named('x'), true, world)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('a folder that was taken away is an empty one, and comes back with the next upload', async () => {
    rmSync(world.folder, { recursive: true });
    expect(await list()).toEqual([]);
    await expect(removeSkill(named('x'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
    await upload('x.py', 'text');
    expect(await summary()).toEqual(['x.py on']);
  });

  it('what lies there comes in the order of the names, whatever it is', async () => {
    for (const name of ['b.py', 'notes.txt', 'z.py', 'A.md', '～.md', '😀.md']) world.put(name, 'pass');
    const names = (await listSkills(world)).skills.map((skill) => skill.name);
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(6);
  });

  it('a file that goes while the list is made is looked for again, and then left out', async () => {
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

  it('a file that goes at the moment it is asked for is a conflict, which says to try again', async () => {
    world.put('x.py', 'pass');
    const reading = jest.spyOn(world.files, 'read').mockResolvedValue(undefined);
    const gone = { code: 'conflict', message: expect.stringContaining('Another program changed x.py just now') };
    await expect(downloadSkill(named('x'), world.files)).rejects.toMatchObject(gone);
    await expect(enableSkill(named('x'), false, world)).rejects.toMatchObject(gone);
    reading.mockRestore();
    expect(world.contents()).toEqual({ 'x.py': 'pass' });
  });

  it('a file where the folder should be is said, not hidden', async () => {
    rmSync(world.folder, { recursive: true });
    symlinkSync('/etc/passwd', world.folder);
    await expect(list()).rejects.toMatchObject({ code: 'component_unavailable' });
    await expect(upload('x.py', 'text')).rejects.toMatchObject({ code: 'component_unavailable' });
  });
});

describe('At the same time', () => {
  it('50 uploads, renames, switches and removes of one name end in one whole skill or none', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `${index}`.repeat(2000));
    await upload('x.py', texts[0] ?? '');
    const work = texts.map((text, index) => {
      const kinds = [
        () => upload('x.py', text),
        () => upload('disabled.x.py', text),
        () => enableSkill(named('x'), index % 3 === 0, world),
        () => renameSkill(named('x'), named('y'), world),
        () => renameSkill(named('y'), named('x'), world),
        () => removeSkill(named('x'), world),
        () => downloadSkill(named('x'), world.files),
        () => listSkills(world),
      ];
      return kinds[index % kinds.length]?.();
    });
    const outcomes = await Promise.allSettled(work);
    const failures = outcomes.filter((each) => each.status === 'rejected').map(({ reason }) => reason.code);
    for (const code of failures) expect(['skill_not_found', 'already_exists']).toContain(code);
    expect(outcomes.filter((each) => each.status === 'fulfilled').length).toBeGreaterThan(20);

    const contents = world.contents();
    for (const stem of ['x', 'y']) {
      const forms = Object.keys(contents).filter((name) => [`${stem}.py`, `disabled.${stem}.py`].includes(name));
      expect(forms.length).toBeLessThan(2);
    }
    for (const [name, text] of Object.entries(contents)) {
      expect(name).toMatch(/^(disabled\.)?[xy]\.py$/);
      expect(texts).toContain(text);
    }
  });

  it('a list never misses a skill that goes from one form to the other, and never sees both', async () => {
    await upload('x.py', 'text');
    const seen: unknown[] = [];
    let switching = true;
    const looker = (async () => {
      while (switching) seen.push((await list()).map(({ name, conflict }) => [name, conflict]));
    })();
    for (let turn = 0; turn < 100; turn++) await enableSkill(named('x'), turn % 2 === 1, world);
    switching = false;
    await looker;
    expect(seen.length).toBeGreaterThan(0);
    for (const names of seen) expect(names).toEqual([['x.py', undefined]]);
  });
});
