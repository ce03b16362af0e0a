import { cp, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUNDLED } from '../build-info.ts';
import type { Config } from '../config.ts';
import { STAGED, sweep, unfinishedName } from './files/leftovers.ts';
import { makePrivateFolder } from './files/replace-file.ts';

/** What the small robot that comes with the package consists of. */
type StarterPart = 'skills' | 'description' | 'llm_config.yaml';

/** `robot/` beside the bundle, or at the top of the sources. */
const STARTER_FOLDER = join(import.meta.dirname, BUNDLED ? 'robot' : '../../../robot');

/**
 * Puts a part of the starter robot in place, in sim mode only and only where nothing is yet, so that every endpoint has
 * something to answer on a fresh start. What exists, be it an empty folder, stays as it is. It appears
 * atomically: a killed start leaves all of it or nothing.
 * @returns whether it was put there.
 */
export async function seed(config: Config, part: StarterPart, target: string): Promise<boolean> {
  if (config.SERVICE_MODE !== 'sim' || (await exists(target))) return false;
  const parent = dirname(target);
  makePrivateFolder(parent);
  sweep(parent, STAGED);
  const workplace = join(parent, unfinishedName(STAGED));
  try {
    const copy = join(workplace, part);
    await mkdir(workplace);
    await cp(join(STARTER_FOLDER, part), copy, { recursive: true });
    if (await exists(target)) return false;
    await rename(copy, target);
    return true;
  } catch (error) {
    // Another process was faster; what it put there is the same.
    if (await exists(target)) return false;
    throw error;
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
