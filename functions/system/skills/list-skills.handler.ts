import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { listSkills } from './list-skills.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { SkillList } from './skill.schema.ts';

/**
 * GET /api/{version}/skill/list/: the skills in the folder, including those put there by hand (specification, section
 * 4.5).
 */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'List the skills',
  output: SkillList,
  uses: { files: skillFiles, python: pythonParser },
  errors: ['component_unavailable'],
}).handler(({ signal }, { files, python }) => listSkills({ files, python, signal }));
