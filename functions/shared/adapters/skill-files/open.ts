import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { makePrivateFolder } from '../files/replace-file.ts';
import { seed } from '../starter-robot/seed.ts';
import { SkillFolder } from './folder.ts';
import type { SkillFiles } from './port.ts';
import { isStaged, stagedBy } from './staged-name.ts';

/** A staged file whose process number was taken by another process is stale after an hour, in ms. */
const STALE_AFTER_MS = 3_600_000;

/** Opens SERVICE_SKILLS_DIR: makes it when it is absent, and sweeps what killed uploads left behind. */
export async function openSkillFiles(config: Config, logger: Logger, clock: () => number): Promise<SkillFiles> {
  const folder = config.SERVICE_SKILLS_DIR;
  try {
    if (await seed(config, 'skills', folder))
      logger.info('the skills folder was absent: example skills were put there');
    makePrivateFolder(folder);
    await sweep(folder, clock());
  } catch (error) {
    // Every operation says so itself, and so does the readiness of the service; the folder may still turn up.
    logger.error({ err: error }, 'the skills folder cannot be used');
  }
  return new SkillFolder(folder);
}

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of (await readdir(folder)).filter(isStaged)) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    const stale = stats === undefined || now - stats.mtimeMs > STALE_AFTER_MS;
    if (stale || !isAtWork(stagedBy(name))) await rm(path, { force: true });
  }
}

/** Whether another process has this number. Our own has staged nothing yet: it was in use before us. */
function isAtWork(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // as: kill throws nothing else
  }
}
