import { ENCHANTERS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { ChangeHeaders, LlmConfigChange, LlmConfigPatch } from './llm-config.schema.ts';
import { changeLlmConfig } from './llm-config.ts';
import { llmConfigFile, yamlWork } from './ports.ts';

/** PATCH /api/{version}/llm_config/: changes one key of the YAML file (specification, section 4.7). ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'Change one key of the language-model configuration',
  description:
    'Every byte of the file outside the old value stays as it is. A top-level key wins; otherwise dots lead into nested maps. The previous file is kept beside it (`.bak`).',
  input: { headers: ChangeHeaders, body: LlmConfigPatch },
  exactIntegers: true,
  output: LlmConfigChange,
  audit: 'llm_config.patch',
  uses: { llmConfigFile, yamlWork },
  errors: [
    'config_key_not_found',
    'conflict',
    'busy',
    'precondition_failed',
    'wrong_value_type',
    'file_too_large',
    'config_unreadable',
    'component_unavailable',
    'storage_full',
  ],
}).handler(async ({ valid: { headers, body }, record }, ports) => {
  const { command, value } = body;
  record('llm_config.patch', { key: command });
  const { answer, etag } = await changeLlmConfig(ports, {
    key: command,
    value,
    ifMatch: headers['if-match'],
  });
  return new Reply(answer, { etag, 'content-type': 'application/json' });
});
