import { ServiceError } from '../../shared/errors.ts';
import { readLlmConfig } from './llm-config.ts';
import type { LlmConfigFile } from './port.ts';

/**
 * Why the configuration cannot be read, as a sentence with line and column; undefined if it can, or if there is none.
 * The reader is that of the routes.
 */
export async function contentProblem(file: Pick<LlmConfigFile, 'read'>): Promise<string | undefined> {
  try {
    await readLlmConfig(file);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'component_unavailable') return undefined;
    return error.message.split(' Nothing was changed;')[0];
  }
}
