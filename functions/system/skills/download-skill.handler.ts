import * as z from 'zod';
import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { namesTag } from '../../shared/pipeline/entity-tag.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { downloadSkill } from './download-skill.ts';
import { skillFiles } from './ports.ts';
import { NamedSkill } from './skill.schema.ts';

/** GET /api/{version}/skill/download/{skill_name}: the file itself (specification, section 4.5). */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Download a skill',
  input: { path: NamedSkill.loose(), headers: z.object({ 'if-none-match': z.string().optional() }) },
  output: { mediaTypes: ['text/x-python'] },
  uses: { files: skillFiles },
  errors: ['skill_not_found', 'conflict', 'component_unavailable'],
}).handler(async ({ valid }, { files }) => {
  const { fileName, bytes, etag } = await downloadSkill(valid.path.skill_name, files);
  const validators = { etag, 'cache-control': 'private, no-cache' };
  if (namesTag(valid.headers['if-none-match'], etag)) return new Reply('', validators, 304);
  const disposition = `attachment; filename="${fileName}"`;
  return new Reply(bytes, {
    ...validators,
    'content-type': 'text/x-python',
    'content-disposition': disposition,
  });
});
