import { ServiceError } from '../../shared/errors.ts';
import { type ReadLlmConfigPorts, readLlmConfig } from './llm-config.ts';

/**
 * Why the configuration cannot be read, as a sentence with line and column; undefined if it can, or if there is none.
 * The reader is that of the routes.
 */
export async function contentProblem(ports: ReadLlmConfigPorts): Promise<string | undefined> {
  try {
    await readLlmConfig(ports);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'component_unavailable') return undefined;
    return error.message.split(' Nothing was changed;')[0];
  }
}
