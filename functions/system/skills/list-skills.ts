import type { FolderEntry } from '../../shared/adapters/skill-files/port.ts';
import { Turnstile } from '../../shared/turnstile.ts';
import { describe, describeForeign, examine } from './examine.ts';
import { type Located, locate, type SkillForms } from './file-forms.ts';
import type { Skill } from './skill.schema.ts';
import { skillOfFile } from './skill-name.ts';
import type { SkillParts } from './skill-parts.ts';

/** Looks again this often when files go while they are being read; after that, what has gone is left out. */
const ATTEMPTS = 5;
/** Files in memory at the same time. */
const MOST_AT_ONCE = 8;

/** Every skill in the folder, and whatever else lies there with `manageable: false`, in the order of their names. */
export async function listSkills(parts: SkillParts): Promise<{ skills: Skill[] }> {
  for (let attempt = 1; ; attempt++) {
    const entries = await parts.files.inTurn(() => parts.files.list());
    const { forms, foreign } = sort(entries);
    const located = forms.flatMap((each) => locate(each) ?? []);
    const turnstile = new Turnstile(MOST_AT_ONCE);
    const present = await Promise.all(located.map((each) => turnstile.pass(() => show(each, parts), parts.signal)));
    const skills = present.filter((skill) => skill !== undefined);
    if (skills.length < present.length && attempt < ATTEMPTS) continue;
    return { skills: [...skills, ...foreign.map(describeForeign)].sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }
}

async function show(located: Located, { files, python, signal }: SkillParts): Promise<Skill | undefined> {
  const file = await files.read(located.fileName);
  if (!file) return undefined;
  const skill = describe(located.stem, located.enabled, file, await examine(file.bytes, python, signal));
  return located.conflict ? { ...skill, conflict: true } : skill;
}

/** Pairs the two forms of each stem; sets apart what no skill's file can be. */
function sort(entries: readonly FolderEntry[]): { forms: SkillForms[]; foreign: FolderEntry[] } {
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
