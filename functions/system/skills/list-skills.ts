import { Semaphore } from '../../shared/kit/semaphore.ts';
import { describe, describeForeign, examine } from './examine.ts';
import { type Located, locate, type SkillForms } from './file-forms.ts';
import type { Skill } from './skill.schema.ts';
import type { FolderEntry } from './skill-files.port.ts';
import { skillOfFile } from './skill-name.ts';
import type { SkillParts } from './skill-parts.ts';

/** How often to start over if files disappear while being read; after that, missing ones are left out. */
const MAX_ATTEMPTS = 5;
/** Files in memory at the same time. */
const MAX_CONCURRENT = 8;

/** All skills in the folder, and any other entries with `manageable: false`, sorted by name. */
export async function listSkills(parts: SkillParts): Promise<{ skills: Skill[] }> {
  for (let attempt = 1; ; attempt++) {
    const entries = await parts.files.runExclusive(() => parts.files.list());
    const { forms, foreign } = groupEntries(entries);
    const located = forms.flatMap((each) => locate(each) ?? []);
    const semaphore = new Semaphore(MAX_CONCURRENT);
    const present = await Promise.all(located.map((each) => semaphore.run(() => readSkill(each, parts))));
    const skills = present.filter((skill) => skill !== undefined);
    if (skills.length < present.length && attempt < MAX_ATTEMPTS) continue;
    return { skills: [...skills, ...foreign.map(describeForeign)].sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }
}

async function readSkill(located: Located, { files, python, signal }: SkillParts): Promise<Skill | undefined> {
  signal.throwIfAborted();
  const file = await files.read(located.fileName);
  if (!file) return undefined;
  const skill = describe(located.stem, located.enabled, file, await examine(file.bytes, python, signal));
  return located.conflict ? { ...skill, conflict: true } : skill;
}

/** Groups the two forms of each stem, and separates entries that are not skills. */
function groupEntries(entries: readonly FolderEntry[]): { forms: SkillForms[]; foreign: FolderEntry[] } {
  const forms = new Map<string, SkillForms>();
  const foreign: FolderEntry[] = [];
  for (const entry of entries) {
    const name = skillOfFile(entry.name);
    if (!name || entry.irregular !== undefined) foreign.push(entry);
    else {
      const known = forms.get(name.stem) ?? { stem: name.stem, enabled: undefined, disabled: undefined };
      forms.set(name.stem, { ...known, [name.disabled ? 'disabled' : 'enabled']: entry });
    }
  }
  return { forms: [...forms.values()], foreign };
}
