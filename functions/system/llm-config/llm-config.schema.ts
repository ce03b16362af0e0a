import * as z from 'zod';
import type { JsonValue } from '../../shared/kit/json.ts';

const Json = z.unknown() as unknown as z.ZodType<JsonValue>; // as: what is parsed here came out of a JSON text

export const LlmConfig = z.record(z.string(), z.unknown()).meta({
  id: 'LlmConfig',
  description: 'The configuration as in the YAML file; aliases and merge keys are expanded.',
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
    value: Json.refine((value) => value !== undefined, '"value" is required: add it to the JSON body; null is a value.')
      .describe('the new value, of the same type as the present one; null is always accepted')
      .meta({ example: 1024 }),
  })
  .meta({ id: 'LlmConfigPatch', example: { command: 'max_tokens', value: 1024 } });

export const LlmConfigChange = z
  .object({ command: z.string(), value: z.unknown(), previous: z.unknown() })
  .meta({ id: 'LlmConfigChange', example: { command: 'max_tokens', value: 1024, previous: 512 } });

export const ReadHeaders = z.object({
  accept: z.string().max(1000).optional().describe('`application/yaml`: the file itself'),
  'if-none-match': z.string().max(1000).optional().describe("entity tags of the client's copies"),
});

export const ChangeHeaders = z.object({
  'if-match': z.string().max(1000).optional().describe('change the configuration only if it has this entity tag'),
});
