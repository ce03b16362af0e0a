import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, databaseFile } from '../../config.ts';
import { DiskReserve } from './disk-reserve.ts';

/**
 * Why a folder could not be written, or undefined when it can. One that does not exist yet passes when it could be
 * made. Nothing is created: asking must not have an effect.
 */
export async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'it is not a folder';
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // as: node:fs throws nothing else
    const parent = dirname(folder);
    return code === 'ENOENT' && parent !== folder ? folderProblem(parent) : String(code);
  }
}

/** Why nothing may be added to one of the disks that the service keeps its data on, or undefined. */
export function storageProblem(config: Config): string | undefined {
  return new DiskReserve(config.SERVICE_MIN_FREE).problem([
    config.SERVICE_DATA_DIR,
    dirname(databaseFile(config)),
    config.SERVICE_EXPORT_DIR,
    config.SERVICE_SKILLS_DIR,
    config.SERVICE_DESCRIPTION_DIR,
    dirname(config.SERVICE_LLM_CONFIG_PATH),
  ]);
}
