import { ENCHANTERS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { namesTag } from '../../shared/pipeline/entity-tag.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { LlmConfig, ReadHeaders } from './llm-config.schema.ts';
import { readLlmConfig } from './llm-config.ts';
import { llmConfigFile, yamlWork } from './ports.ts';
import { entityTags, prefersYaml } from './representation.ts';

/** GET /api/{version}/llm_config/: the language-model configuration (specification, section 4.7). ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'Read the language-model configuration',
  description:
    'JSON, or the bytes of the YAML file for `Accept: application/yaml`. Integers keep every digit; `.nan` and `.inf`, which JSON cannot express, are strings.',
  input: { headers: ReadHeaders },
  output: { json: LlmConfig, mediaTypes: ['application/yaml'] },
  uses: { llmConfigFile, yamlWork },
  errors: ['config_unreadable', 'component_unavailable'],
}).handler(async ({ valid: { headers } }, ports) => {
  const { bytes, json } = await readLlmConfig(ports);
  const yaml = prefersYaml(headers.accept);
  const etag = entityTags(bytes)[yaml ? 'yaml' : 'json'];
  const validators = { etag, vary: 'Accept', 'cache-control': 'private, no-cache' };
  if (namesTag(headers['if-none-match'], etag)) return new Reply('', validators, 304);
  return yaml
    ? new Reply(bytes, { ...validators, 'content-type': 'application/yaml' })
    : new Reply(json, { ...validators, 'content-type': 'application/json' });
});
