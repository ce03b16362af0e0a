import { beforeEach } from '@jest/globals';
import { parseUploadName, uploadSkill } from '../../functions/system/skills/change-skills.ts';
import { listSkills } from '../../functions/system/skills/list-skills.ts';
import { parseSkillName, type SkillName } from '../../functions/system/skills/skill-name.ts';
import { type SkillWorld, skillWorld } from './skills.ts';

export let world: SkillWorld;

/** The name of a skill as a request writes it. */
export function named(text: string): SkillName {
  const name = parseSkillName(text);
  if (!name) throw new Error(`${text} is no skill name`);
  return name;
}

export const upload = (name: string, text: string) => uploadSkill(parseUploadName(name), Buffer.from(text), world);

export const list = async () => (await listSkills(world)).skills;

/** An empty skills folder for each test. */
export function useSkills(): void {
  beforeEach(async () => {
    world = await skillWorld();
  });
}
