import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { removeSkill } from './change-skills.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { NamedSkill, SkillChanged } from './skill.schema.ts';

/** POST /api/v1/skill/remove/: the older form, which names the skill in the body (specification, section 9). */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Remove a skill (older form)',
  input: { body: NamedSkill },
  output: SkillChanged,
  audit: 'skill.remove',
  uses: { files: skillFiles, python: pythonParser },
  errors: ['skill_not_found', 'conflict', 'busy', 'component_unavailable'],
}).handler(({ valid, signal, record }, { files, python }) => {
  record('skill.remove', { skill: valid.body.skill_name.stem });
  return removeSkill(valid.body.skill_name, { files, python, signal });
});
