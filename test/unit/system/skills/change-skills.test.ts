import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { enableSkill, removeSkill, renameSkill } from '../../../../functions/system/skills/change-skills.ts';
import { downloadSkill } from '../../../../functions/system/skills/download-skill.ts';
import { listSkills } from '../../../../functions/system/skills/list-skills.ts';
import { list, named, upload, useSkills, world } from '../../../support/skill-operations.ts';

useSkills();

describe('Enabling and disabling', () => {
  it.each(['x', 'x.py', 'disabled.x', 'disabled.x.py'])('accepts the name as %s', async (name) => {
    await upload('x.py', 'text');
    expect(await enableSkill(named(name), false, world)).toMatchObject({
      message: 'The skill x.py was disabled.',
      skill: { name: 'x.py', enabled: false },
    });
    expect(world.contents()).toEqual({ 'disabled.x.py': 'text' });
    expect((await enableSkill(named(name), true, world)).skill.enabled).toBe(true);
    expect(world.contents()).toEqual({ 'x.py': 'text' });
  });

  it('changes nothing when already in that state', async () => {
    const { skill } = await upload('x.py', 'text');
    expect((await enableSkill(named('x'), true, world)).skill).toEqual(skill);
  });

  it('fails with skill_not_found for an unknown skill', async () => {
    await expect(enableSkill(named('x'), true, world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('Both forms of one skill', () => {
  beforeEach(() => {
    world.put('x.py', 'enabled text');
    world.put('disabled.x.py', 'disabled text');
  });

  it('are listed once as enabled, marked as a conflict', async () => {
    expect(await list()).toEqual([expect.objectContaining({ name: 'x.py', enabled: true, conflict: true, size: 12 })]);
    expect((await downloadSkill(named('disabled.x.py'), world.files)).bytes.toString()).toBe('enabled text');
  });

  it('become one by disabling, which replaces the other', async () => {
    const { skill } = await enableSkill(named('x'), false, world);
    expect(skill).not.toHaveProperty('conflict');
    expect(world.contents()).toEqual({ 'disabled.x.py': 'enabled text' });
  });

  it('are left alone by enabling', async () => {
    expect((await enableSkill(named('x'), true, world)).skill).toMatchObject({ enabled: true, conflict: true });
    expect(Object.keys(world.contents())).toHaveLength(2);
  });

  it('are both removed', async () => {
    await removeSkill(named('x'), world);
    expect(world.contents()).toEqual({});
  });

  it('are not renamed', async () => {
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
  ])('%s from %s to %s gives %s', async (before, from, to, after) => {
    await upload(before, 'text');
    const { skill } = await renameSkill(named(from), named(to), world);
    expect(world.contents()).toEqual({ [after]: 'text' });
    expect(await list()).toEqual([skill]);
  });

  it.each(['y.py', 'disabled.y.py'])('onto %s is refused without any change', async (taken) => {
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

  it('fails with skill_not_found for an unknown skill', async () => {
    await expect(renameSkill(named('x'), named('y'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('Removing', () => {
  it.each(['x.py', 'disabled.x.py'])('%s answers the removed skill', async (file) => {
    const { skill } = await upload(file, 'text');
    expect(await removeSkill(named('x'), world)).toEqual({ message: 'The skill x.py was removed.', skill });
    expect(world.contents()).toEqual({});
    await expect(removeSkill(named('x'), world)).rejects.toMatchObject({ code: 'skill_not_found' });
  });
});

describe('Simultaneous operations', () => {
  it('leave one complete skill or none after 50 operations on one name', async () => {
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

  it('never hide a skill from the list, or show it twice, while it is switched', async () => {
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
