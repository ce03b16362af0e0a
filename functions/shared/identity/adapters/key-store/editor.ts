import type { Config } from '../../../config.ts';
import { ServiceError, unavailable } from '../../../errors.ts';
import { isDiskFull } from '../../../kit/error-code.ts';
import { DiskReserve } from '../../../kit/files/disk-reserve.ts';
import { faultOf } from '../../../kit/files/watched-file.ts';
import type { KeyEditor } from '../../key-editor.port.ts';
import type { KeyStore } from '../../key-store.port.ts';
import { createKey, revokeKey } from './edit.ts';
import { keyFilePath } from './file.ts';
import { keysInEnvironment } from './open.ts';

/** Edits the file of API keys. The store is made to look at the file after each change. */
export function openKeyEditor(config: Config, store: Pick<KeyStore, 'list'>): KeyEditor {
  const path = keyFilePath(config);
  const edit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (keysInEnvironment(config)) {
      throw unavailable('key file', 'The API keys come from SERVICE_API_KEYS. Change them there.');
    }
    try {
      return await work();
    } catch (error) {
      throw error instanceof ServiceError ? error : notKept(error);
    } finally {
      store.list();
    }
  };
  return {
    create: (wanted) =>
      edit(async () => {
        new DiskReserve(config.SERVICE_MIN_FREE).assertRoom(path);
        return createKey(path, wanted);
      }),
    revoke: (id, assertAllowed) => edit(() => revokeKey(path, id, assertAllowed)),
  };
}

function notKept(cause: unknown): ServiceError {
  if (!isDiskFull(cause))
    return unavailable('key file', `API keys are kept in api-keys.json: ${faultOf(cause).message}.`, cause);
  return new ServiceError('storage_full', {
    detail:
      'The disk is full, so that the change cannot be kept; the keys are as before. Free some space and try again.',
    cause,
  });
}
