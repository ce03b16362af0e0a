import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { renameSkill } from './change-skills.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { RenameSkill, SkillChanged } from './skill.schema.ts';

/** PATCH /api/{version}/skill/rename/: renames a skill, never onto another (specification, section 4.5). */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Rename a skill',
  description: 'The skill stays enabled or disabled, except that a new name with the prefix `disabled.` disables it.',
  input: { body: RenameSkill },
  output: SkillChanged,
  audit: 'skill.rename',
  uses: { files: skillFiles, python: pythonParser },
  errors: ['skill_not_found', 'already_exists', 'conflict', 'busy', 'component_unavailable'],
}).handler(({ valid: { body }, signal, record }, { files, python }) => {
  record('skill.rename', { skill: body.old_name.stem, new_name: body.new_name.stem });
  return renameSkill(body.old_name, body.new_name, { files, python, signal });
});
