import * as z from 'zod';
import { Json } from '../../shared/kit/json.schema.ts';
import { parseSkillName, SKILL_NAME_PATTERN, SKILL_NAME_RULE } from './skill-name.ts';

/** A skill's name as clients write it; parsed into its stem and whether it bore the prefix. */
const SkillNameText = z
  .string()
  .transform((text, context) => {
    const name = parseSkillName(text);
    if (name) return name;
    context.addIssue(SKILL_NAME_RULE);
    return z.NEVER;
  })
  .meta({
    id: 'SkillName',
    description: SKILL_NAME_RULE,
    example: 'wave_hello.py',
    pattern: SKILL_NAME_PATTERN.source,
  });

const SkillFunction = z
  .object({
    name: z.string().meta({ example: 'wave_hello' }),
    access_level: z.string().optional().meta({ example: 'USER' }),
    description: z.string().optional().meta({ example: 'Wave at whoever is there.' }),
    package: z
      .string()
      .optional()
      .describe("the vendor's package, if the decorator is from there; it needs a sandbox")
      .meta({ example: 'pymirokai' }),
    args: z
      .record(z.string(), Json)
      .optional()
      .describe('JSON Schema of its arguments; absent: not at the top level of the file, so that it cannot be run'),
  })
  .meta({ id: 'SkillFunction', description: 'A function under a `@skill` decorator, found by parsing' });

export const Skill = z
  .object({
    name: z.string().describe('file name without the prefix `disabled.`').meta({ example: 'wave_hello.py' }),
    enabled: z.boolean(),
    size: z.int().min(0).describe('bytes'),
    modified_at: z.iso.datetime().meta({ example: '2026-11-21T10:00:00.000Z' }),
    sha256: z.string().nullable().describe('of the content, in lower-case hex; null for what is not managed'),
    functions: z.array(SkillFunction),
    validated: z.literal(false).optional().describe('no Python interpreter was available to parse the file'),
    conflict: z.literal(true).optional().describe('the disabled file exists as well; the enabled one is used'),
    manageable: z.literal(false).optional().describe('it is in the folder, but the service does not touch it'),
    problem: z.string().optional().describe('why it is not managed, or is not valid Python'),
  })
  .meta({ id: 'Skill' });

export type Skill = z.infer<typeof Skill>;

export const SkillList = z.object({ skills: z.array(Skill) }).meta({ id: 'SkillList' });
export const SkillChanged = z.object({ message: z.string(), skill: Skill }).meta({ id: 'SkillChanged' });
export const SkillUploaded = SkillChanged.extend({
  replaced: z.boolean().describe('whether a skill of this name already existed'),
}).meta({ id: 'SkillUploaded' });

export const NamedSkill = z
  .strictObject({ skill_name: SkillNameText })
  .meta({ id: 'NamedSkill', example: { skill_name: 'wave_hello.py' } });
export const EnableSkill = z
  .strictObject({ command: SkillNameText, value: z.boolean().describe('true enables, false disables') })
  .meta({ id: 'EnableSkill', example: { command: 'wave_hello.py', value: true } });
export const RenameSkill = z
  .strictObject({ old_name: SkillNameText, new_name: SkillNameText })
  .meta({ id: 'RenameSkill', example: { old_name: 'wave_hello.py', new_name: 'greet.py' } });

/** The unparsed form: bytes, or an empty string if there was no body. */
export const SkillForm = z
  .custom<Buffer | ''>((body) => body === '' || Buffer.isBuffer(body))
  .meta({
    id: 'SkillForm',
    override: {
      type: 'object',
      required: ['skill'],
      properties: { skill: { type: 'string', format: 'binary', description: 'the .py file, with its file name' } },
    },
  });
