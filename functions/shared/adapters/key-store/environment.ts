import { ConfigError } from '../../config.ts';
import { faultOf } from '../files/watched-file.ts';
import type { KeyStore } from './port.ts';
import { KeySet, parseRecords } from './records.ts';

/** The API keys of SERVICE_API_KEYS, the same JSON as the file's. @throws ConfigError */
export function keysOfEnvironment(json: string | undefined): KeyStore {
  const keys = setOf(json);
  return {
    findBySecret: (secret) => keys.findBySecret(secret),
    findById: (id) => keys.findById(id),
    problem: () => undefined,
  };
}

function setOf(json: string | undefined): KeySet {
  if (json === undefined) return new KeySet([]);
  try {
    return new KeySet(parseRecords(json));
  } catch (error) {
    throw new ConfigError(`SERVICE_API_KEYS cannot be used: ${faultOf(error).message}`, { cause: error });
  }
}
