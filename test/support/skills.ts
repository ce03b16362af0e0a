import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSkillFiles } from '../../functions/system/skills/adapters/folder/open.ts';
import type { PythonParser } from '../../functions/system/skills/python-parser.port.ts';
import type { SkillParts } from '../../functions/system/skills/skill-parts.ts';
import { silentLogger, temporaryFolder, testConfig } from './world.ts';

/** Finds a source invalid when it says so itself. */
export const fakePython: PythonParser = {
  parse: async (source) =>
    source.includes('INVALID')
      ? { kind: 'invalid', message: 'invalid syntax', line: 1, column: 7 }
      : { kind: 'valid', functions: [{ name: 'found' }] },
};

export interface SkillWorld extends SkillParts {
  readonly folder: string;
  put(name: string, text: string): void;
  /** Everything in the folder, hidden entries included, with its text. */
  contents(): Record<string, string>;
}

/** A skills folder on the disk, empty at first, and a parser that needs no interpreter. */
export async function skillWorld(python: PythonParser = fakePython): Promise<SkillWorld> {
  const folder = join(temporaryFolder(), 'skills');
  const config = testConfig({ SERVICE_MODE: 'robot', SERVICE_SKILLS_DIR: folder });
  const files = await openSkillFiles(config, silentLogger);
  return {
    files,
    python,
    signal: new AbortController().signal,
    folder,
    put: (name, text) => writeFileSync(join(folder, name), text),
    contents: () =>
      Object.fromEntries(
        readdirSync(folder)
          .sort()
          .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
      ),
  };
}
