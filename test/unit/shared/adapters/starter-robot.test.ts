import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { seed } from '../../../../functions/shared/adapters/starter-robot/seed.ts';
import { ROOT } from '../../../support/sources.ts';
import { temporaryFolder, testConfig } from '../../../support/world.ts';

const target = () => join(temporaryFolder(), 'data', 'skills');

describe('The starter robot', () => {
  it('puts a part of the package where nothing is yet, and nothing else', async () => {
    const folder = target();
    expect(await seed(testConfig(), 'skills', folder)).toBe(true);
    const source = join(ROOT, 'robot', 'skills');
    expect(readdirSync(folder).sort()).toEqual(readdirSync(source).sort());
    for (const name of readdirSync(source)) {
      expect(readFileSync(join(folder, name))).toEqual(readFileSync(join(source, name)));
    }
    expect(readdirSync(join(folder, '..'))).toEqual(['skills']);
  });

  it('does so once', async () => {
    const folder = target();
    const twice = await Promise.all([seed(testConfig(), 'skills', folder), seed(testConfig(), 'skills', folder)]);
    expect(twice.filter(Boolean).length).toBeGreaterThan(0);
    expect(await seed(testConfig(), 'skills', folder)).toBe(false);
    expect(readdirSync(join(folder, '..'))).toEqual(['skills']);
  });

  it('stays away from a real robot', async () => {
    const folder = target();
    expect(await seed(testConfig({ SERVICE_MODE: 'robot' }), 'skills', folder)).toBe(false);
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it('stays away from what somebody made, and sweeps what a killed start left', async () => {
    const folder = target();
    mkdirSync(folder, { recursive: true });
    expect(await seed(testConfig(), 'skills', folder)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);

    const other = target();
    const left = join(other, '..', '.staged-1-0123456789abcdef');
    mkdirSync(join(left, 'skills'), { recursive: true });
    utimesSync(left, 0, 0);
    await seed(testConfig(), 'skills', other);
    expect(readdirSync(join(other, '..'))).toEqual(['skills']);
  });
});
