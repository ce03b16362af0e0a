import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { removeSkill } from './change-skills.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { NamedSkill, SkillChanged } from './skill.schema.ts';

/** DELETE /api/{version}/skill/remove/: removes the skill the query names (specification, section 4.5). */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Remove a skill',
  input: { query: NamedSkill },
  output: SkillChanged,
  audit: 'skill.remove',
  uses: { files: skillFiles, python: pythonParser },
  errors: ['skill_not_found', 'conflict', 'busy', 'component_unavailable'],
}).handler(({ valid, signal, record }, { files, python }) => {
  record('skill.remove', { skill: valid.query.skill_name.stem });
  return removeSkill(valid.query.skill_name, { files, python, signal });
});
