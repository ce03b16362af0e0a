import { ServiceError } from '../../shared/errors.ts';
import type { FolderEntry, SkillFiles } from './skill-files.port.ts';
import { fileNameOf } from './skill-name.ts';

/** The folder entries for one stem: `x.py`, `disabled.x.py`, or both. */
export interface SkillForms {
  readonly stem: string;
  readonly enabled: FolderEntry | undefined;
  readonly disabled: FolderEntry | undefined;
}

/** The file of a skill that counts, and whether the other form exists too. */
export interface Located {
  readonly stem: string;
  readonly enabled: boolean;
  readonly fileName: string;
  readonly conflict: boolean;
}

export async function formsOf(files: SkillFiles, stem: string): Promise<SkillForms> {
  return {
    stem,
    enabled: await files.find(fileNameOf(stem, true)),
    disabled: await files.find(fileNameOf(stem, false)),
  };
}

/** Picks the form that counts: the enabled one if both exist. Undefined if neither is a regular file. */
export function locate({ stem, enabled, disabled }: SkillForms): Located | undefined {
  const on = isRegular(enabled);
  const off = isRegular(disabled);
  if (!on && !off) return undefined;
  return { stem, enabled: on, fileName: fileNameOf(stem, on), conflict: on && off };
}

/** @throws ServiceError `skill_not_found`; its detail says if there is something else under the name. */
export async function findSkill(files: SkillFiles, stem: string): Promise<Located> {
  const forms = await formsOf(files, stem);
  const located = locate(forms);
  if (located) return located;
  const reason = (forms.enabled ?? forms.disabled)?.irregular;
  throw new ServiceError('skill_not_found', {
    detail: reason
      ? `${fileNameOf(stem, true)} is not a managed skill. ${reason}`
      : `There is no skill ${fileNameOf(stem, true)}. GET /api/v2/skill/list/ lists all skills.`,
  });
}

/**
 * @throws ServiceError `conflict` if a form is something that the service does not touch, such as a link or a folder.
 */
export function assertRegular(...entries: ReadonlyArray<FolderEntry | undefined>): void {
  const irregular = entries.find((entry) => entry?.irregular !== undefined);
  if (!irregular) return;
  throw new ServiceError('conflict', {
    detail: `${irregular.name} in the skills folder is in the way. ${irregular.irregular} Remove it by hand.`,
  });
}

/** `conflict`: other programs may change the folder at any time. */
export function changedConcurrently(fileName: string): ServiceError {
  return new ServiceError('conflict', { detail: `Another program has just changed ${fileName}. Try again.` });
}

function isRegular(entry: FolderEntry | undefined): boolean {
  return entry !== undefined && entry.irregular === undefined;
}
