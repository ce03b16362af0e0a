import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../../../../functions/shared/config.ts';
import { createKey, listKeys, revokeKey } from '../../../../../functions/shared/identity/adapters/key-store/edit.ts';
import { keyFilePath } from '../../../../../functions/shared/identity/adapters/key-store/file.ts';
import {
  ensureFirstKey,
  type FirstKey,
} from '../../../../../functions/shared/identity/adapters/key-store/first-key.ts';
import { openKeyStore } from '../../../../../functions/shared/identity/adapters/key-store/open.ts';
import { sourcePath, startModule } from '../../../../support/run-source.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../../support/world.ts';

async function told(config: Config): Promise<FirstKey[]> {
  const heard: FirstKey[] = [];
  await ensureFirstKey(config, (first) => heard.push(first));
  return heard;
}

describe('The first API key', () => {
  it('of a simulated robot is printed once and has full access', async () => {
    const config = testConfig();
    const [first] = await told(config);
    expect(first).toEqual({ key: expect.stringMatching(/^rk_/) });
    const store = await openKeyStore(config, silentLogger, Date.now);
    expect(store.findBySecret(first && 'key' in first ? first.key : '')).toMatchObject({ level: 'ENCHANTER' });
    expect(await told(config)).toEqual([]);
  });

  it('of a real robot is written to a private file, and only its path is printed', async () => {
    const config = testConfig({ SERVICE_MODE: 'robot' });
    const path = join(config.SERVICE_DATA_DIR, 'first-api-key');
    expect(await told(config)).toEqual([{ path }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const store = await openKeyStore(config, silentLogger, Date.now);
    expect(store.findBySecret(readFileSync(path, 'utf8').trim())).toMatchObject({ level: 'ENCHANTER' });
  });

  it.each([{ SERVICE_API_KEYS: '{"keys":[]}' }, { AWS_LAMBDA_FUNCTION_NAME: 'auth' }])(
    'is not created when keys come from the environment: %p',
    async (settings) => {
      const config = testConfig(settings);
      expect(await told(config)).toEqual([]);
      expect(existsSync(config.SERVICE_DATA_DIR)).toBe(false);
    },
  );

  it('is not created when there is a revoked one', async () => {
    const config = testConfig();
    const path = keyFilePath(config);
    const { record } = await createKey(path, { name: 'old', level: 'USER' });
    await revokeKey(path, record.id);
    expect(await told(config)).toEqual([]);
  });

  it('is not created, and nothing is overwritten, while the key file is broken', async () => {
    const config = testConfig();
    mkdirSync(config.SERVICE_DATA_DIR, { recursive: true });
    writeFileSync(keyFilePath(config), '{"keys":[');
    expect(await told(config)).toEqual([]);
    expect(readFileSync(keyFilePath(config), 'utf8')).toBe('{"keys":[');
  });

  it('names the wrong setting when the data folder cannot be created', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(told(testConfig({ SERVICE_DATA_DIR: join(file, 'data') }))).rejects.toThrow(/^SERVICE_DATA_DIR /);
  });

  it('removes leftovers of killed processes, and nothing else', async () => {
    const config = testConfig({ SERVICE_MODE: 'robot' });
    await told(config);
    const present = readdirSync(config.SERVICE_DATA_DIR);
    const living = `.api-keys.json.${process.ppid}-0123456789abcdef.tmp`;
    const dead = `${spawnSync('true').pid}-0123456789abcdef.tmp`;
    for (const name of [living, `.api-keys.json.${dead}`, `.first-api-key.${dead}`])
      writeFileSync(join(config.SERVICE_DATA_DIR, name), 'half');
    await told(config);
    expect(readdirSync(config.SERVICE_DATA_DIR).sort()).toEqual([...present, living].sort());
  });

  it('is created once when several services start at once', async () => {
    const home = temporaryFolder();
    const untilTogether = `while (Date.now() < ${Date.now() + 2000});`;
    const code = `
      import { loadConfig } from '${sourcePath('functions/shared/config.ts')}';
      import { ensureFirstKey } from '${sourcePath('functions/shared/identity/adapters/key-store/first-key.ts')}';
      ${untilTogether}
      await ensureFirstKey(loadConfig(process.env).config, ({ key }) => console.log(key));`;
    const ended = await Promise.all([1, 2, 3, 4].map(() => startModule(code, { HOME: home }).ended));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, '']));
    const keys = ended.map(({ stdout }) => stdout.trim()).filter((key) => key !== '');
    expect(keys).toHaveLength(1);
    expect(listKeys(join(home, '.robot-rest', 'api-keys.json'))).toHaveLength(1);
  });
});
