import type { SkillFiles } from '../../shared/adapters/skill-files/port.ts';
import { sha256 } from './examine.ts';
import { goneMeanwhile, requireSkill } from './file-forms.ts';
import type { SkillName } from './skill-name.ts';

export interface Download {
  /** As it stands in the folder: uploaded again under this name, the skill keeps its state. */
  readonly fileName: string;
  readonly bytes: Buffer;
  /** Strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The bytes of a skill. @throws ServiceError `skill_not_found`. */
export async function downloadSkill({ stem }: SkillName, files: SkillFiles): Promise<Download> {
  // In turn, so that a skill is not missed while it goes from one form to the other.
  return files.inTurn(async () => {
    const { fileName } = await requireSkill(files, stem);
    const file = await files.read(fileName);
    if (!file) throw goneMeanwhile(fileName);
    return { fileName, bytes: file.bytes, etag: `"${sha256(file.bytes)}"` };
  });
}
