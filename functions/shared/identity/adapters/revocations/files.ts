import type { Config } from '../../../config.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { Revocations } from '../../revocations.port.ts';
import { LoggedOutClients, loggedOutPath } from './logged-out.ts';
import { openSocketGeneration, socketGenerationPath } from './socket-generation.ts';

/** The revocations in the data folder. */
export function openRevocationFiles(config: Config, logger: Logger, clock: () => number): Revocations {
  const clients = new LoggedOutClients(loggedOutPath(config), logger, clock);
  const socketGeneration = openSocketGeneration(socketGenerationPath(config), logger, clock);
  return {
    isLoggedOut: (clientId, issuedAt) => clients.has(clientId, issuedAt),
    logOut: (session) => clients.add(session),
    socketGeneration,
  };
}
