import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { WatchedFile } from '../../../kit/files/watched-file.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { KeyStore } from '../../key-store.port.ts';
import { KeySet, parseRecords } from './records.ts';

/** Path of the file of API keys. */
export function keyFilePath(config: Config): string {
  return join(config.SERVICE_DATA_DIR, 'api-keys.json');
}

/**
 * The API keys of a file that the `api-key` command writes. A change takes effect within a second; a key that is
 * not known is looked up in the file at once, so that a new key works immediately. While the file is invalid, the last
 * valid keys are kept.
 */
export function openKeyFile(path: string, logger: Logger, clock: () => number): KeyStore {
  const file = new WatchedFile(path, {
    clock,
    parse: ({ text }) => new KeySet(parseRecords(text)),
    fallback: new KeySet([]),
    onProblem: (problem) => {
      if (problem === undefined) logger.info('api-keys.json is valid again');
      else logger.error({ problem }, 'api-keys.json is invalid; keeping the last valid keys, if there were any');
    },
  });
  return {
    list: () => file.value(true).list(),
    findBySecret: (secret) => file.value().findBySecret(secret) ?? file.value(true).findBySecret(secret),
    findById: (id) => file.value().findById(id) ?? file.value(true).findById(id),
    problem: () => file.problem(),
  };
}
