import type { FolderEntry, SkillFiles } from '../../shared/adapters/skill-files/port.ts';
import { ServiceError } from '../../shared/errors.ts';
import { fileNameOf } from './skill-name.ts';

/** What lies in the folder for one stem: `x.py`, `disabled.x.py`, or both. */
export interface SkillForms {
  readonly stem: string;
  readonly enabled: FolderEntry | undefined;
  readonly disabled: FolderEntry | undefined;
}

/** Where a skill is: the one file that counts, and whether the other form lies there too. */
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

/** The form that counts: the enabled one when both are there. Undefined when no regular file is. */
export function locate({ stem, enabled, disabled }: SkillForms): Located | undefined {
  const on = isRegular(enabled);
  const off = isRegular(disabled);
  if (!on && !off) return undefined;
  return { stem, enabled: on, fileName: fileNameOf(stem, on), conflict: on && off };
}

/** @throws ServiceError `skill_not_found`, saying so when something else lies under the name. */
export async function requireSkill(files: SkillFiles, stem: string): Promise<Located> {
  const forms = await formsOf(files, stem);
  const located = locate(forms);
  if (located) return located;
  const reason = (forms.enabled ?? forms.disabled)?.irregular;
  throw new ServiceError('skill_not_found', {
    detail: reason
      ? `What lies under the name ${fileNameOf(stem, true)} is not managed. ${reason}`
      : `There is no skill ${fileNameOf(stem, true)}. GET /api/v2/skill/list/ names those there are.`,
  });
}

/** @throws ServiceError `conflict` when a form is something the service does not touch, a link or a folder for instance. */
export function refuseIrregular(...entries: ReadonlyArray<FolderEntry | undefined>): void {
  const irregular = entries.find((entry) => entry?.irregular !== undefined);
  if (!irregular) return;
  throw new ServiceError('conflict', {
    detail: `${irregular.name} in the skills folder is not managed and in the way. ${irregular.irregular} Remove it by hand.`,
  });
}

/** `conflict`: the folder is open to others, who may be faster. */
export function goneMeanwhile(fileName: string): ServiceError {
  return new ServiceError('conflict', { detail: `Another program changed ${fileName} just now. Try again.` });
}

function isRegular(entry: FolderEntry | undefined): boolean {
  return entry !== undefined && entry.irregular === undefined;
}
