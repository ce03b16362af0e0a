import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { SigningKeys } from './port.ts';

export async function openSigningKeys(_config: Config, _logger: Logger, _clock: () => number): Promise<SigningKeys> {
  throw new Error('being written');
}
