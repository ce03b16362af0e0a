import { realpath } from 'node:fs/promises';
import type { Config } from '../../../shared/config.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import type { Part } from '../manifest.schema.ts';

/** The parts that are files or folders of their own. */
export type FilePart = Exclude<Part, 'database'>;
export const FILE_PARTS: readonly FilePart[] = ['skills', 'language_model', 'description', 'mapping'];

/** Where the parts are by the settings. A link is followed: what it leads to is the part. */
export async function placeOf(part: FilePart, config: Config): Promise<string> {
  const path = {
    skills: config.SERVICE_SKILLS_DIR,
    language_model: config.SERVICE_LLM_CONFIG_PATH,
    description: config.SERVICE_DESCRIPTION_DIR,
    mapping: config.SERVICE_ROBOT_MAPPING_PATH,
  }[part];
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return path;
    throw error;
  }
}
