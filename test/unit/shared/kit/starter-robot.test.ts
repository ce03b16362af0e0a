import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { seed } from '../../../../functions/shared/kit/starter-robot.ts';
import { openDescriptionFiles } from '../../../../functions/system/description/adapters/open.ts';
import { openLlmConfigFile } from '../../../../functions/system/llm-config/adapters/open.ts';
import { ROOT } from '../../../support/sources.ts';
import { loggerInto, temporaryFolder, testConfig } from '../../../support/world.ts';

const target = () => join(temporaryFolder(), 'data', 'skills');

describe('The starter robot', () => {
  it('copies one part of the package to where nothing exists', async () => {
    const folder = target();
    expect(await seed(testConfig(), 'skills', folder)).toBe(true);
    const source = join(ROOT, 'robot', 'skills');
    expect(readdirSync(folder).sort()).toEqual(readdirSync(source).sort());
    for (const name of readdirSync(source)) {
      expect(readFileSync(join(folder, name))).toEqual(readFileSync(join(source, name)));
    }
    expect(readdirSync(join(folder, '..'))).toEqual(['skills']);
  });

  it('is copied once', async () => {
    const folder = target();
    const twice = await Promise.all([seed(testConfig(), 'skills', folder), seed(testConfig(), 'skills', folder)]);
    expect(twice.filter(Boolean).length).toBeGreaterThan(0);
    expect(await seed(testConfig(), 'skills', folder)).toBe(false);
    expect(readdirSync(join(folder, '..'))).toEqual(['skills']);
  });

  it('is not copied on a real robot', async () => {
    const folder = target();
    expect(await seed(testConfig({ SERVICE_MODE: 'robot' }), 'skills', folder)).toBe(false);
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it('leaves existing files alone and removes leftovers of a killed start', async () => {
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

  it('is missing, with a log line, when it cannot be copied', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'warn');
    const config = testConfig({
      SERVICE_DESCRIPTION_DIR: '/proc/robot/meshes',
      SERVICE_LLM_CONFIG_PATH: '/proc/llm.yaml',
    });
    const files = await openDescriptionFiles(config, logger);
    expect(await files.has('body.stl')).toBe(false);
    const llmConfig = await openLlmConfigFile(config, logger);
    await expect(llmConfig.read()).rejects.toMatchObject({ code: 'component_unavailable' });
    expect(lines).toEqual([
      expect.stringContaining('could not create the starter robot'),
      expect.stringContaining('could not create the starter configuration'),
    ]);
  });
});
