import * as z from 'zod';
import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { parseUploadName, uploadSkill } from './change-skills.ts';
import { sha256 } from './examine.ts';
import { pythonParser, skillFiles } from './ports.ts';
import { SkillForm, SkillUploaded } from './skill.schema.ts';
import { readUploadForm } from './upload-form.ts';

/** POST /api/{version}/skill/upload/: stores a skill once its source has been parsed (specification, section 4.5). */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Upload a skill',
  description:
    'A form with one part, a .py file named `skill`. A file name with the prefix `disabled.` stores it disabled. A skill of the same name is replaced, but not by a file whose name has no `.py`: clients make such names up. The source is parsed, not run; POST /api/v2/runs/ runs it.',
  bodyType: 'multipart',
  input: { headers: z.object({ 'content-type': z.string().default('') }), body: SkillForm },
  output: SkillUploaded,
  audit: 'skill.upload',
  uses: { files: skillFiles, python: pythonParser },
  errors: [
    'malformed_multipart',
    'invalid_python',
    'conflict',
    'busy',
    'already_exists',
    'storage_full',
    'component_unavailable',
  ],
}).handler(async ({ valid, signal, record }, { files, python }) => {
  const { fileName, bytes } = await readUploadForm(valid.body, valid.headers['content-type']);
  const name = parseUploadName(fileName);
  record('skill.upload', { skill: name.stem, enabled: !name.disabled, bytes: bytes.length, sha256: sha256(bytes) });
  return uploadSkill(name, bytes, { files, python, signal });
});
