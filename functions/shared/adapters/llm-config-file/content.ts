import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { ServiceError, unavailable } from '../../errors.ts';
import { codeOf } from '../files/watched-file.ts';
import { MAX_LLM_CONFIG_BYTES } from './port.ts';

export interface Content {
  readonly bytes: Buffer;
  /** Permission bits, to be given to what replaces the file. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
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
        'There is no file yet: put one where SERVICE_LLM_CONFIG_PATH says, or as llm_config.yaml into the data folder.',
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return unreadable('The user of the service may not read it.', error);
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
