import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { KeyStore } from './port.ts';

export async function openKeyStore(_config: Config, _logger: Logger, _clock: () => number): Promise<KeyStore> {
  throw new Error('being written');
}
