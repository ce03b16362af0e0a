import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { keysOfEnvironment } from './environment.ts';
import type { KeyStore } from './port.ts';

/** True when the API keys come from the environment: the setting is there, or there is no disk to keep a file on. */
export function keysInEnvironment(config: Config): boolean {
  return config.SERVICE_API_KEYS !== undefined || config.inCloud;
}

/**
 * The API keys: SERVICE_API_KEYS, else the file in the data folder. A file that is broken from the start means no key at
 * all, and a problem that readiness tells.
 * @throws ConfigError when SERVICE_API_KEYS cannot be used.
 */
export async function openKeyStore(config: Config, logger: Logger, clock: () => number): Promise<KeyStore> {
  if (keysInEnvironment(config)) return keysOfEnvironment(config.SERVICE_API_KEYS);
  const { keyFilePath, openKeyFile } = await import('./file.ts');
  return openKeyFile(keyFilePath(config), logger, clock);
}
