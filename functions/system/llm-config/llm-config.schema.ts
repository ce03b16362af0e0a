import * as z from 'zod';

export const LlmConfig = z.record(z.string(), z.unknown()).meta({
  id: 'LlmConfig',
  description: 'The configuration as it stands in the YAML file; aliases and merge keys are written out.',
  example: { model: 'small-talk-1', max_tokens: 512, temperature: 0.7, stop: ['Human:'] },
});

export const LlmConfigPatch = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(512)
      .describe('a key at the top, or keys of nested maps with dots between them')
      .meta({ example: 'max_tokens' }),
    value: z
      .json()
      .describe('the new value, of the type that stands there; null fits everywhere')
      .meta({ example: 1024 }),
  })
  .meta({ id: 'LlmConfigPatch', example: { command: 'max_tokens', value: 1024 } });

export const LlmConfigChange = z
  .object({ command: z.string(), value: z.unknown(), previous: z.unknown() })
  .meta({ id: 'LlmConfigChange', example: { command: 'max_tokens', value: 1024, previous: 512 } });

export const ReadHeaders = z.object({
  accept: z.string().max(1000).optional().describe('`application/yaml`: the file itself'),
  'if-none-match': z.string().max(1000).optional().describe('entity tags the client holds'),
});

export const ChangeHeaders = z.object({
  'if-match': z
    .string()
    .max(1000)
    .optional()
    .describe('the change is made only to a configuration with this entity tag'),
});
