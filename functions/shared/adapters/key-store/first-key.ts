import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { replaceFile } from '../files/replace-file.ts';
import { createFirstKey } from './edit.ts';
import { keyFilePath } from './file.ts';
import { keysInEnvironment } from './open.ts';

/** The first key as it may be told: itself in sim mode, the file it stands in (0600) in robot mode. */
export type FirstKey = { readonly key: string } | { readonly path: string };

/**
 * Makes an ENCHANTER key when no key record exists at all; revoked ones count as existing. Tells it once, by `announce`,
 * at the moment it is made. On a robot the secret goes into a file, since its journal can be read through the service.
 * Where the keys come from the environment none is made.
 * @throws FileFault when api-keys.json cannot be used, a system error when it cannot be written.
 */
export async function ensureFirstKey(config: Config, announce: (first: FirstKey) => void): Promise<void> {
  if (keysInEnvironment(config)) return;
  const path = keyFilePath(config);
  await createFirstKey(path, { name: 'first key', level: 'ENCHANTER' }, (key) => {
    if (config.SERVICE_MODE === 'sim') {
      announce({ key });
      return;
    }
    const file = join(dirname(path), 'first-api-key');
    replaceFile(file, `${key}\n`);
    announce({ path: file });
  });
}
