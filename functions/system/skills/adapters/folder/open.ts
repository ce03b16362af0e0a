import type { Config } from '../../../../shared/config.ts';
import { DiskReserve } from '../../../../shared/kit/files/disk-reserve.ts';
import { STAGED, sweep } from '../../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../../shared/kit/files/replace-file.ts';
import { seed } from '../../../../shared/kit/starter-robot.ts';
import { WriteGate } from '../../../../shared/kit/write-gate.ts';
import type { Logger } from '../../../../shared/observability/logger.ts';
import type { SkillFiles } from '../../skill-files.port.ts';
import { SkillFolder } from './folder.ts';
import { admitReaders } from './readers.ts';

/** Opens SERVICE_SKILLS_DIR: creates it if missing, and removes leftovers of interrupted uploads. */
export async function openSkillFiles(config: Config, logger: Logger, gate = new WriteGate()): Promise<SkillFiles> {
  const folder = config.SERVICE_SKILLS_DIR;
  try {
    if (await seed(config, 'skills', folder)) logger.debug('created the skills folder with example skills');
    makePrivateFolder(folder);
    sweep(folder, STAGED);
  } catch (error) {
    // Not fatal: operations and readiness report it too, and the folder may still become available.
    logger.error({ err: error }, 'the skills folder is not usable');
  }
  await admitReaders(folder).catch((error: unknown) =>
    logger.warn({ err: error }, 'could not give existing skills to the group of the skills folder'),
  );
  return new SkillFolder(folder, new DiskReserve(config.SERVICE_MIN_FREE), gate);
}
