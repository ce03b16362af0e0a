import { ServiceError } from '../../shared/errors.ts';
import { describe, examine, refuseInvalid } from './examine.ts';
import { formsOf, goneMeanwhile, type Located, locate, refuseIrregular, requireSkill } from './file-forms.ts';
import type { Skill } from './skill.schema.ts';
import { fileNameOf, readSkillName, SKILL_NAME_RULE, type SkillName } from './skill-name.ts';
import type { SkillParts } from './skill-parts.ts';

export interface Changed {
  readonly message: string;
  readonly skill: Skill;
}

/** The name of an uploaded file. @throws ServiceError `validation_failed` for one that no skill can have. */
export function uploadedName(fileName: string): SkillName {
  const name = readSkillName(fileName);
  if (name) return name;
  throw new ServiceError('validation_failed', {
    detail: `The file name cannot be used. ${SKILL_NAME_RULE}`,
    errors: [{ pointer: '/skill', message: SKILL_NAME_RULE }],
  });
}

/**
 * Stores a skill, in place of one of the same stem; enabled or disabled as its name says. When both forms were there,
 * only the uploaded one is left.
 * @throws ServiceError `invalid_python`, `conflict`, `storage_full`, `component_unavailable`.
 */
export async function uploadSkill(name: SkillName, bytes: Buffer, parts: SkillParts) {
  const { files, python, signal } = parts;
  const enabled = !name.disabled;
  const fileName = fileNameOf(name.stem, enabled);
  const verdict = await examine(bytes, python, signal);
  refuseInvalid(verdict, fileName);
  const staged = await files.stage(bytes);
  try {
    const replaced = await files.inTurn(async () => {
      const forms = await formsOf(files, name.stem);
      refuseIrregular(forms.enabled, forms.disabled);
      await staged.placeAs(fileName);
      if (enabled ? forms.disabled : forms.enabled) await files.remove(fileNameOf(name.stem, !enabled));
      await files.settle();
      return locate(forms) !== undefined;
    });
    const message = `The skill ${fileNameOf(name.stem, true)} was ${replaced ? 'replaced' : 'uploaded'}.`;
    return { message, skill: describe(name.stem, enabled, staged, verdict), replaced };
  } finally {
    await staged.discard();
  }
}

/**
 * Enables or disables. Asking for the state it is in changes nothing. When both forms are there, the enabled one counts:
 * disabling puts it in place of the other.
 * @throws ServiceError `skill_not_found`, `conflict`, `already_exists`.
 */
export function enableSkill(name: SkillName, enabled: boolean, parts: SkillParts): Promise<Changed> {
  return change(name, parts, enabled ? 'enabled' : 'disabled', async (located) => {
    if (located.enabled === enabled) return located;
    const { files } = parts;
    const fileName = fileNameOf(located.stem, enabled);
    refuseIrregular(await files.find(fileName));
    if (enabled) await files.move(located.fileName, fileName);
    else await files.moveOver(located.fileName, fileName);
    return { ...located, enabled, fileName, conflict: false };
  });
}

/**
 * Renames. The skill stays enabled or disabled, except that a new name with the prefix `disabled.` disables it.
 * @throws ServiceError `skill_not_found`, `already_exists` when the new stem is taken in either form, `conflict` when
 * both forms of the old one are there.
 */
export function renameSkill(from: SkillName, to: SkillName, parts: SkillParts): Promise<Changed> {
  if (from.stem === to.stem) {
    return to.disabled ? enableSkill(from, false, parts) : change(from, parts, 'left as it was', async (same) => same);
  }
  return change(from, parts, `renamed to ${fileNameOf(to.stem, true)}`, async (located) => {
    const { files } = parts;
    if (located.conflict) throw bothForms(located.stem);
    const taken = await formsOf(files, to.stem);
    if (taken.enabled || taken.disabled) throw alreadyThere(to.stem);
    const enabled = located.enabled && !to.disabled;
    const fileName = fileNameOf(to.stem, enabled);
    await files.move(located.fileName, fileName);
    return { stem: to.stem, enabled, fileName, conflict: false };
  });
}

/**
 * Removes a skill, both forms when both are there. @returns the skill as it was.
 * @throws ServiceError `skill_not_found`.
 */
export function removeSkill(name: SkillName, parts: SkillParts): Promise<Changed> {
  return change(name, parts, 'removed', async (located) => {
    // The form that counts goes last: a service killed in between leaves the skill as it was.
    if (located.conflict) await parts.files.remove(fileNameOf(located.stem, false));
    await parts.files.remove(located.fileName);
    return located;
  });
}

/** Finds the skill, changes it, and tells what it is after that, all in one turn. */
async function change(
  { stem }: SkillName,
  { files, python, signal }: SkillParts,
  done: string,
  work: (located: Located) => Promise<Located>,
): Promise<Changed> {
  const { after, file } = await files.inTurn(async () => {
    const before = await requireSkill(files, stem);
    const file = await files.read(before.fileName);
    if (!file) throw goneMeanwhile(before.fileName);
    const after = await work(before);
    await files.settle();
    return { after, file };
  });
  const skill = describe(after.stem, after.enabled, file, await examine(file.bytes, python, signal));
  return {
    message: `The skill ${fileNameOf(stem, true)} was ${done}.`,
    skill: after.conflict ? { ...skill, conflict: true } : skill,
  };
}

function bothForms(stem: string): ServiceError {
  return new ServiceError('conflict', {
    detail: `Both ${fileNameOf(stem, true)} and ${fileNameOf(stem, false)} lie in the skills folder. Disable, remove or upload the skill first: each leaves one.`,
  });
}

function alreadyThere(stem: string): ServiceError {
  return new ServiceError('already_exists', {
    detail: `There is a skill ${fileNameOf(stem, true)} already. Remove it first, or choose another name.`,
  });
}
