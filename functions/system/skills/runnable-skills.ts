import type { RunnableFunction, SkillSource, SkillSources } from '../../shared/runs/skill-source.port.ts';
import { examine, sha256 } from './examine.ts';
import type { PythonParser, SkillFunction } from './python-parser.port.ts';
import type { SkillFiles } from './skill-files.port.ts';
import { fileNameOf, parseSkillName, skillOfFile } from './skill-name.ts';

interface Parts {
  readonly files: SkillFiles;
  readonly python: PythonParser;
}

/** The enabled skills of a folder, as they can be run. `open` is called with each question. */
export function runnableSkills(open: () => Promise<Parts>): SkillSources {
  async function read(skill: string, signal: AbortSignal): Promise<SkillSource | undefined> {
    const { files, python } = await open();
    const file = await files.read(fileNameOf(skill, true));
    if (!file) return undefined;
    const verdict = await examine(file.bytes, python, signal);
    const functions = verdict.kind === 'valid' ? verdict.functions.flatMap((each) => runnable(skill, each)) : [];
    return { bytes: file.bytes, sha256: sha256(file.bytes), functions };
  }

  return {
    async read(skill, signal) {
      const name = parseSkillName(skill);
      return name && !name.disabled ? read(name.stem, signal) : undefined;
    },
    async list(signal) {
      const { files } = await open();
      const found: RunnableFunction[] = [];
      for (const { name, irregular } of await files.list()) {
        const skill = skillOfFile(name);
        if (!skill || skill.disabled || irregular !== undefined) continue;
        found.push(...((await read(skill.stem, signal))?.functions ?? []));
      }
      return found;
    },
  };
}

function runnable(
  skill: string,
  { name, args, access_level, description, package: from }: SkillFunction,
): RunnableFunction[] {
  return args ? [{ skill, name, args, accessLevel: access_level, description, package: from }] : [];
}
