import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { WatchedFile } from '../files/watched-file.ts';
import type { KeyStore } from './port.ts';
import { KeySet, parseRecords } from './records.ts';

/** Where the API keys stand. */
export function keyFilePath(config: Config): string {
  return join(config.SERVICE_DATA_DIR, 'api-keys.json');
}

/**
 * The API keys of a file that the `api-key` command writes. A change counts within a second; what is not found is looked
 * for in the file as it stands now, so that a new key opens at once. While the file is broken the last good set stays.
 */
export function openKeyFile(path: string, logger: Logger, clock: () => number): KeyStore {
  const file = new WatchedFile(path, {
    clock,
    parse: ({ text }) => new KeySet(parseRecords(text)),
    fallback: new KeySet([]),
    onProblem: (problem) => {
      if (problem === undefined) logger.info('api-keys.json can be used again');
      else
        logger.error(
          { problem },
          'api-keys.json cannot be used; the last good keys stay, from the start there are none',
        );
    },
  });
  return {
    findBySecret: (secret) => file.value().findBySecret(secret) ?? file.value(true).findBySecret(secret),
    findById: (id) => file.value().findById(id) ?? file.value(true).findById(id),
    problem: () => file.problem(),
  };
}
