import { join } from 'node:path';
import { type Config, ConfigError } from '../../../config.ts';
import { codeOf } from '../../../kit/error-code.ts';
import { replaceFile, sweepIfPossible } from '../../../kit/files/replace-file.ts';
import { sparePath } from '../../../kit/files/spare-file.ts';
import { FileFault } from '../../../kit/files/watched-file.ts';
import { createFirstKey, ensureSpare } from './edit.ts';
import { keyFilePath } from './file.ts';
import { keysInEnvironment } from './open.ts';

/** What is announced of the first key: the key in sim mode, the file that holds it (0600) in robot mode. */
export type FirstKey = { readonly key: string } | { readonly path: string };

/**
 * Makes an ENCHANTER key when no key record exists at all; revoked ones count as existing. Tells it once, by
 * `announce`, at the moment it is made. On a robot the secret goes into a file, since its journal can be read through
 * the service. None is made where the keys come from the environment, nor while api-keys.json is invalid, which
 * readiness reports.
 * @throws ConfigError when the data folder cannot be written.
 */
export async function ensureFirstKey(config: Config, announce: (first: FirstKey) => void): Promise<void> {
  if (keysInEnvironment(config)) return;
  const path = keyFilePath(config);
  for (const file of [path, sparePath(path), firstKeyPath(config)]) sweepIfPossible(file);
  try {
    await createFirstKey(path, { name: 'first key', level: 'ENCHANTER' }, (key) => announce(told(config, key)));
    await ensureSpare(path);
  } catch (error) {
    if (error instanceof FileFault) return;
    const code = codeOf(error);
    if (code === undefined) throw error;
    const folder = `SERVICE_DATA_DIR (${config.SERVICE_DATA_DIR})`;
    throw new ConfigError(`${folder}: the first API key cannot be kept there (${code}).`, { cause: error });
  }
}

function firstKeyPath(config: Config): string {
  return join(config.SERVICE_DATA_DIR, 'first-api-key');
}

function told(config: Config, key: string): FirstKey {
  if (config.SERVICE_MODE === 'sim') return { key };
  const path = firstKeyPath(config);
  replaceFile(path, `${key}\n`);
  return { path };
}
