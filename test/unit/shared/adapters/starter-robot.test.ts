import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openDescriptionFiles } from '../../../../functions/shared/adapters/description-files/open.ts';
import { openLlmConfigFile } from '../../../../functions/shared/adapters/llm-config-file/open.ts';
import { seed } from '../../../../functions/shared/adapters/starter-robot/seed.ts';
import { createLogger } from '../../../../functions/shared/logger.ts';
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

  it('may be impossible to put in place: the log says so, and what asks for it finds nothing', async () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
    const config = testConfig({
      SERVICE_DESCRIPTION_DIR: '/proc/robot/meshes',
      SERVICE_LLM_CONFIG_PATH: '/proc/llm.yaml',
    });
    const files = await openDescriptionFiles(config, logger);
    expect(await files.has('body.stl')).toBe(false);
    const llmConfig = await openLlmConfigFile(config, logger);
    await expect(llmConfig.read()).rejects.toMatchObject({ code: 'component_unavailable' });
    expect(lines).toEqual([
      expect.stringContaining('the starter robot could not'),
      expect.stringContaining('the starter configuration could not'),
    ]);
  });
});
