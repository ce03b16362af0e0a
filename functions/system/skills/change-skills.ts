import { ServiceError } from '../../shared/errors.ts';
import { assertValidPython, describe, examine } from './examine.ts';
import { assertRegular, changedConcurrently, findSkill, formsOf, type Located, locate } from './file-forms.ts';
import type { Skill } from './skill.schema.ts';
import { fileNameOf, parseSkillName, SKILL_NAME_RULE, type SkillName } from './skill-name.ts';
import type { SkillParts } from './skill-parts.ts';

const NO_SUFFIX = ' Its file name came without ".py", perhaps made up by the client; rename the skill if so.';

interface Changed {
  readonly message: string;
  readonly skill: Skill;
}

interface UploadName extends SkillName {
  /**
   * The file name has no suffix, as when a client makes one up from the name of the part (`filename="skill"`): two
   * skills may come under it.
   */
  readonly madeUp?: boolean;
}

/** Parses the name of an uploaded file. @throws ServiceError `validation_failed` if it is not a valid skill name. */
export function parseUploadName(fileName: string): UploadName {
  const name = parseSkillName(fileName);
  if (name) return { ...name, madeUp: !fileName.endsWith('.py') };
  throw new ServiceError('validation_failed', {
    detail: `Invalid file name. ${SKILL_NAME_RULE}`,
    errors: [{ pointer: '/skill', message: SKILL_NAME_RULE }],
  });
}

/**
 * Stores a skill, enabled or disabled according to its name, and replaces any skill with the same stem. If both forms
 * existed, only the uploaded one remains.
 * @throws ServiceError `invalid_python`, `conflict`, `already_exists` (under a made-up name), `storage_full`,
 * `component_unavailable`.
 */
export async function uploadSkill(name: UploadName, bytes: Buffer, parts: SkillParts) {
  const { files, python, signal } = parts;
  const enabled = !name.disabled;
  const fileName = fileNameOf(name.stem, enabled);
  const verdict = await examine(bytes, python, signal);
  assertValidPython(verdict, fileName);
  // Staged inside: a restore takes what is staged away with the folder.
  return files.change(async () => {
    const staged = await files.stage(bytes);
    try {
      const forms = await formsOf(files, name.stem);
      assertRegular(forms.enabled, forms.disabled);
      if (name.madeUp && locate(forms)) throw nameNeeded(name.stem);
      await staged.placeAs(fileName);
      if (enabled ? forms.disabled : forms.enabled) await files.remove(fileNameOf(name.stem, !enabled));
      await files.syncFolder();
      const replaced = locate(forms) !== undefined;
      const message = `The skill ${fileNameOf(name.stem, true)} was ${replaced ? 'replaced' : 'uploaded'}.${name.madeUp ? NO_SUFFIX : ''}`;
      return { message, skill: describe(name.stem, enabled, staged, verdict), replaced };
    } finally {
      await staged.discard();
    }
  });
}

/**
 * Enables or disables a skill; does nothing if it already is. If both forms exist, the enabled one counts, and
 * disabling replaces the disabled one with it.
 * @throws ServiceError `skill_not_found`, `conflict`, `already_exists`.
 */
export function enableSkill(name: SkillName, enabled: boolean, parts: SkillParts): Promise<Changed> {
  return change(name, parts, enabled ? 'enabled' : 'disabled', async (located) => {
    if (located.enabled === enabled) return located;
    const { files } = parts;
    const fileName = fileNameOf(located.stem, enabled);
    assertRegular(await files.find(fileName));
    if (enabled) await files.move(located.fileName, fileName);
    else await files.moveOver(located.fileName, fileName);
    return { ...located, enabled, fileName, conflict: false };
  });
}

/**
 * Renames a skill. It stays enabled or disabled, except that a new name with the prefix `disabled.` disables it.
 * @throws ServiceError `skill_not_found`; `already_exists` if the new stem is taken in either form; `conflict` if both
 * forms of the old one exist.
 */
export function renameSkill(from: SkillName, to: SkillName, parts: SkillParts): Promise<Changed> {
  if (from.stem === to.stem) {
    return to.disabled
      ? enableSkill(from, false, parts)
      : change(from, parts, 'not changed', async (located) => located);
  }
  return change(from, parts, `renamed to ${fileNameOf(to.stem, true)}`, async (located) => {
    const { files } = parts;
    if (located.conflict) throw bothForms(located.stem);
    const taken = await formsOf(files, to.stem);
    if (taken.enabled || taken.disabled) throw alreadyExists(to.stem);
    const enabled = located.enabled && !to.disabled;
    const fileName = fileNameOf(to.stem, enabled);
    await files.move(located.fileName, fileName);
    return { stem: to.stem, enabled, fileName, conflict: false };
  });
}

/**
 * Removes all forms of a skill. @returns the removed skill.
 * @throws ServiceError `skill_not_found`.
 */
export function removeSkill(name: SkillName, parts: SkillParts): Promise<Changed> {
  return change(name, parts, 'removed', async (located) => {
    // The form that counts is removed last, so that a crash in between leaves the skill unchanged.
    if (located.conflict) await parts.files.remove(fileNameOf(located.stem, false));
    await parts.files.remove(located.fileName);
    return located;
  });
}

/** Finds a skill, changes it, and describes the result. Changes never run concurrently. */
async function change(
  { stem }: SkillName,
  { files, python, signal }: SkillParts,
  done: string,
  work: (located: Located) => Promise<Located>,
): Promise<Changed> {
  const { after, file } = await files.change(async () => {
    const before = await findSkill(files, stem);
    const file = await files.read(before.fileName);
    if (!file) throw changedConcurrently(before.fileName);
    const after = await work(before);
    await files.syncFolder();
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
    detail: `The skills folder contains both ${fileNameOf(stem, true)} and ${fileNameOf(stem, false)}. Disable, remove or upload the skill first, which resolves this.`,
  });
}

function alreadyExists(stem: string): ServiceError {
  return new ServiceError('already_exists', {
    detail: `The skill ${fileNameOf(stem, true)} already exists. Remove it first, or choose another name.`,
  });
}

function nameNeeded(stem: string): ServiceError {
  return new ServiceError('already_exists', {
    detail: `The skill ${fileNameOf(stem, true)} already exists, and the file name "${stem}" came without ".py", perhaps made up by the client. Send the file under its own name, such as greet.py; under ${fileNameOf(stem, true)} it replaces the skill.`,
  });
}
