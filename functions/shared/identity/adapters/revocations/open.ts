import type { Config } from '../../../config.ts';
import { unavailable } from '../../../errors.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { Revocations } from '../../revocations.port.ts';

/** The revocations in the data folder. A function in the cloud has neither a disk nor a socket, and keeps none. */
export async function openRevocations(config: Config, logger: Logger, clock: () => number): Promise<Revocations> {
  if (config.inCloud) return NO_REVOCATIONS;
  const { openRevocationFiles } = await import('./files.ts');
  return openRevocationFiles(config, logger, clock);
}

const NO_REVOCATIONS: Revocations = {
  isLoggedOut: () => false,
  logOut: () => Promise.reject(unavailable('logout', 'Nothing can be kept here. Revoke the API key instead.')),
  socketGeneration: () => '',
};
