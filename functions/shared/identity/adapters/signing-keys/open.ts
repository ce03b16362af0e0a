import { type Config, ConfigError } from '../../../config.ts';
import { faultOf } from '../../../kit/files/watched-file.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { SigningKeys } from '../../signing-keys.port.ts';
import { KeyRing } from './key-ring.ts';
import { newKey, parsePem } from './pem.ts';

/**
 * The signing keys the configuration asks for: memory, else the environment, else the file (specification, section
 * 5.8).
 * @throws ConfigError with one line that says what is wrong with the key, and names its setting.
 */
export async function openSigningKeys(config: Config, logger: Logger, clock: () => number): Promise<SigningKeys> {
  if (config.SERVICE_JWT_EPHEMERAL) {
    logger.warn(
      'SERVICE_JWT_EPHEMERAL: the signing key lives in memory. All tokens die with this process, and stream servers keep the public keys they have seen for up to an hour',
    );
    return new KeyRing([newKey()]);
  }
  const pem = config.SERVICE_JWT_SIGNING_KEY;
  if (pem !== undefined) {
    // Many places that set environment variables cannot hold a line break and write \n instead.
    return naming('SERVICE_JWT_SIGNING_KEY', () => new KeyRing(parsePem(pem.replaceAll('\\n', '\n'))));
  }
  const { openKeyFile } = await import('./file.ts');
  const path = config.SERVICE_JWT_SIGNING_KEY_PATH;
  return naming(`SERVICE_JWT_SIGNING_KEY_PATH (${path})`, () => openKeyFile(path, logger, clock));
}

/** Names the setting in whatever goes wrong. */
export function naming<T>(setting: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`The signing key cannot be used. ${setting}: ${faultOf(error).message}`, { cause: error });
  }
}
