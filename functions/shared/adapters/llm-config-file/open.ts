import { realpath } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { sweepIfPossible } from '../files/replace-file.ts';
import { seed } from '../starter-robot/seed.ts';
import { backupOf, ConfigFile } from './config-file.ts';
import type { LlmConfigFile } from './port.ts';

/** The file at SERVICE_LLM_CONFIG_PATH; in sim mode a first one is put there when there is none. */
export async function openLlmConfigFile(config: Config, logger: Logger): Promise<LlmConfigFile> {
  const path = config.SERVICE_LLM_CONFIG_PATH;
  await seed(config, 'llm_config.yaml', path).catch((error: unknown) => {
    logger.warn({ err: error }, 'the starter configuration could not be put in place');
  });
  const target = await realpath(path).catch(() => path);
  for (const file of [target, backupOf(target)]) sweepIfPossible(file);
  return new ConfigFile(path);
}
