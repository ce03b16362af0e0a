import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import type { FileRights } from '../../../shared/kit/files/replace-file-async.ts';
import { MAX_LLM_CONFIG_BYTES } from '../port.ts';

/** What is in the file, and the rights that its replacement is to have. */
export interface Content extends FileRights {
  readonly bytes: Buffer;
}

/** Reads the whole file. @throws ServiceError `component_unavailable` when there is none, `config_unreadable`. */
export async function readContent(path: string): Promise<Content> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw unreadable('It is not a regular file.');
      if (stats.size > MAX_LLM_CONFIG_BYTES) throw unreadable(`It is larger than ${MAX_LLM_CONFIG_BYTES} bytes.`);
      return { bytes: await file.readFile(), mode: stats.mode & 0o777, uid: stats.uid, gid: stats.gid };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asServiceError(error);
  }
}

function asServiceError(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return unavailable(
        'language-model configuration',
        'The file does not exist. Create it at SERVICE_LLM_CONFIG_PATH, or as llm_config.yaml in the data folder.',
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return unreadable('The user of the service lacks read permission.', error);
    default:
      return error;
  }
}

function unreadable(why: string, cause?: unknown): ServiceError {
  return new ServiceError('config_unreadable', {
    detail: `The language-model configuration cannot be read. ${why}`,
    cause,
  });
}
