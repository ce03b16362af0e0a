import { realpath } from 'node:fs/promises';
import type { Config } from '../../../shared/config.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { sweepIfPossible } from '../../../shared/kit/files/replace-file.ts';
import { seed } from '../../../shared/kit/starter-robot.ts';
import { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import type { LlmConfigFile } from '../port.ts';
import { backupOf, ConfigFile } from './config-file.ts';

/** Opens the file at SERVICE_LLM_CONFIG_PATH; in sim mode a starter file is created if there is none. */
export async function openLlmConfigFile(
  config: Config,
  logger: Logger,
  gate = new WriteGate(),
): Promise<LlmConfigFile> {
  const path = config.SERVICE_LLM_CONFIG_PATH;
  await seed(config, 'llm_config.yaml', path).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not create the starter configuration');
  });
  const target = await realpath(path).catch(() => path);
  for (const file of [target, backupOf(target)]) sweepIfPossible(file);
  return new ConfigFile(path, new DiskReserve(config.SERVICE_MIN_FREE), gate);
}
