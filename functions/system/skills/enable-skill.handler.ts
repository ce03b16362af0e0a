import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { enableSkill } from './change-skills.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { EnableSkill, SkillChanged } from './skill.schema.ts';

/**
 * PATCH (v1 also POST) /api/{version}/skill/enable/: enables or disables a skill (specification, sections 3 and 4.5).
 */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Enable or disable a skill',
  input: { body: EnableSkill },
  output: SkillChanged,
  audit: 'skill.enable',
  uses: { files: skillFiles, python: pythonParser },
  errors: ['skill_not_found', 'conflict', 'busy', 'already_exists', 'component_unavailable'],
}).handler(({ valid: { body }, signal, record }, { files, python }) => {
  record('skill.enable', { skill: body.command.stem, enabled: body.value });
  return enableSkill(body.command, body.value, { files, python, signal });
});
