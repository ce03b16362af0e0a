import { sha256 } from './examine.ts';
import { changedConcurrently, findSkill } from './file-forms.ts';
import type { SkillFiles } from './skill-files.port.ts';
import type { SkillName } from './skill-name.ts';

export interface Download {
  /** The name in the folder, with the prefix of a disabled skill: uploading under this name keeps the skill's state. */
  readonly fileName: string;
  readonly bytes: Buffer;
  /** Strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The bytes of a skill. @throws ServiceError `skill_not_found`. */
export async function downloadSkill({ stem }: SkillName, files: SkillFiles): Promise<Download> {
  // Exclusive, so that a skill is not missed while it changes from one form to the other.
  return files.runExclusive(async () => {
    const { fileName } = await findSkill(files, stem);
    const file = await files.read(fileName);
    if (!file) throw changedConcurrently(fileName);
    return { fileName, bytes: file.bytes, etag: `"${sha256(file.bytes)}"` };
  });
}
