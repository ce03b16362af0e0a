import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { seed } from '../starter-robot/seed.ts';
import { DescriptionFolder } from './folder.ts';
import type { DescriptionFiles } from './port.ts';

/** The folder at SERVICE_DESCRIPTION_DIR; in sim mode a small robot is put there when there is none. */
export async function openDescriptionFiles(config: Config, logger: Logger): Promise<DescriptionFiles> {
  await seed(config, 'description', config.SERVICE_DESCRIPTION_DIR).catch((error: unknown) => {
    logger.warn({ err: error }, 'the starter robot could not be put in place');
  });
  return new DescriptionFolder(config.SERVICE_DESCRIPTION_DIR);
}
