import type { Config } from '../../../config.ts';
import { ConfigError } from '../../../config.ts';
import { faultOf } from '../../../kit/files/watched-file.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { KeyStore } from '../../key-store.port.ts';
import { KeySet, parseRecords } from './records.ts';

/** True when the API keys come from the environment: the setting is there, or there is no disk to keep a file on. */
export function keysInEnvironment(config: Config): boolean {
  return config.SERVICE_API_KEYS !== undefined || config.inCloud;
}

/**
 * The API keys: SERVICE_API_KEYS, else the file in the data folder. A file that is invalid from the start means no
 * keys, and a problem that readiness reports.
 * @throws ConfigError when SERVICE_API_KEYS cannot be used.
 */
export async function openKeyStore(config: Config, logger: Logger, clock: () => number): Promise<KeyStore> {
  if (keysInEnvironment(config)) return keysOf(config.SERVICE_API_KEYS);
  const { keyFilePath, openKeyFile } = await import('./file.ts');
  return openKeyFile(keyFilePath(config), logger, clock);
}

/** The same JSON as in the file. @throws ConfigError */
function keysOf(json: string | undefined): KeySet {
  if (json === undefined) return new KeySet([]);
  try {
    return new KeySet(parseRecords(json));
  } catch (error) {
    throw new ConfigError(`SERVICE_API_KEYS cannot be used: ${faultOf(error).message}`, { cause: error });
  }
}
