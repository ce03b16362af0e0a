import { createHash } from 'node:crypto';
import { statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseUploadName, uploadSkill } from '../../../../functions/system/skills/change-skills.ts';
import { list, named, upload, useSkills, world } from '../../../support/skill-operations.ts';
import { skillWorld } from '../../../support/skills.ts';
import { temporaryFolder } from '../../../support/world.ts';

useSkills();

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
  ])('under the name %s creates %s', async (name, file, enabled) => {
    expect((await upload(name, '1')).skill).toMatchObject({ name: 'x.py', enabled });
    expect(Object.keys(world.contents())).toEqual([file]);
  });

  it.each([
    ['x.py', 'x.py'],
    ['x.py', 'disabled.x.py'],
    ['disabled.x.py', 'x.py'],
    ['disabled.x.py', 'disabled.x.py'],
  ])('%s replaces it with %s alone', async (before, after) => {
    await upload(before, 'old');
    expect(await upload(after, 'new')).toMatchObject({ replaced: true, message: 'The skill x.py was replaced.' });
    expect(world.contents()).toEqual({ [after]: 'new' });
  });

  it.each([
    ['skill', 'skill.py'],
    ['disabled.skill', 'skill.py'],
    ['skill', 'disabled.skill.py'],
  ])('under the name %s, without a suffix, names the stored file and does not replace %s', async (name, present) => {
    expect((await upload('other', 'first')).message).toContain('other.py was uploaded. Its file name came without');
    await upload(present, 'kept');
    await expect(upload(name, 'second')).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('Send the file under its own name'),
    });
    expect(world.contents()).toEqual({ 'other.py': 'first', [present]: 'kept' });
  });

  it('leaves one form where there were two', async () => {
    world.put('x.py', 'a');
    world.put('disabled.x.py', 'b');
    await upload('disabled.x.py', 'c');
    expect(world.contents()).toEqual({ 'disabled.x.py': 'c' });
  });

  it('refuses invalid Python with line and column, without any change', async () => {
    await upload('x.py', 'old');
    await expect(upload('x.py', 'INVALID')).rejects.toMatchObject({
      code: 'invalid_python',
      message: 'x.py is not valid Python: line 1, column 7: invalid syntax.',
      errors: [{ pointer: '/skill', message: 'line 1, column 7: invalid syntax' }],
    });
    expect(world.contents()).toEqual({ 'x.py': 'old' });
  });

  it('refuses an invalid file name with the reason', () => {
    expect(() => parseUploadName('../x.py')).toThrow(
      expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ pointer: '/skill' })] }),
    );
  });

  it.each(['x.py', 'disabled.x.py'])('refuses to replace a symbolic link named %s', async (name) => {
    const outside = join(temporaryFolder(), 'outside.py');
    symlinkSync(outside, join(world.folder, name));
    await expect(upload('x.py', 'new')).rejects.toMatchObject({ code: 'conflict' });
    expect(() => statSync(outside)).toThrow('ENOENT');
  });

  it('reports when it could not be validated', async () => {
    const unknowing = await skillWorld({ parse: async () => ({ kind: 'unknown' }) });
    expect((await uploadSkill(named('x.py'), Buffer.from('pass'), unknowing)).skill).toMatchObject({
      validated: false,
      functions: [],
    });
  });
});
