import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { makePrivateFolder } from '../files/replace-file.ts';
import { sweepStaged } from '../files/staged.ts';
import { seed } from '../starter-robot/seed.ts';
import { SkillFolder } from './folder.ts';
import type { SkillFiles } from './port.ts';
import { admitReaders } from './readers.ts';

/** Opens SERVICE_SKILLS_DIR: makes it when it is absent, and sweeps what killed uploads left behind. */
export async function openSkillFiles(config: Config, logger: Logger, clock: () => number): Promise<SkillFiles> {
  const folder = config.SERVICE_SKILLS_DIR;
  try {
    if (await seed(config, 'skills', folder, clock)) logger.debug('example skills were put into the new skills folder');
    makePrivateFolder(folder);
    await sweepStaged(folder, clock());
  } catch (error) {
    // Every operation says so itself, and so does the readiness of the service; the folder may still turn up.
    logger.error({ err: error }, 'the skills folder cannot be used');
  }
  await admitReaders(folder).catch((error: unknown) =>
    logger.warn({ err: error }, 'skills that were stored before cannot be given to the group of the skills folder'),
  );
  return new SkillFolder(folder);
}
