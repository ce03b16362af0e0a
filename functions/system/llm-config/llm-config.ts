import { ServiceError } from '../../shared/errors.ts';
import { matchesTag } from '../../shared/pipeline/entity-tag.ts';

import type { KeyChange, LlmConfigFile, YamlWork } from './port.ts';
import { MAX_LLM_CONFIG_BYTES } from './port.ts';
import { entityTags } from './representation.ts';
import { assertValidUnicode } from './valid-unicode.ts';

/** Where the configuration is kept, and who parses it. */
export interface LlmConfigPorts {
  readonly llmConfigFile: LlmConfigFile;
  readonly yamlWork: YamlWork;
}

/** What reading takes. */
export type ReadLlmConfigPorts = Pick<LlmConfigPorts, 'yamlWork'> & {
  readonly llmConfigFile: Pick<LlmConfigFile, 'read'>;
};

interface LlmConfigState {
  readonly bytes: Buffer;
  /** The configuration as JSON text. */
  readonly json: Buffer;
}

interface LlmConfigChangeRequest extends KeyChange {
  /** Only makes the change if the configuration still has one of these entity tags. */
  readonly ifMatch: string | undefined;
}

/** Reads the configuration. @throws ServiceError `config_unreadable` with line and column, `component_unavailable`. */
export async function readLlmConfig({ llmConfigFile, yamlWork }: ReadLlmConfigPorts): Promise<LlmConfigState> {
  const bytes = await llmConfigFile.read();
  return { bytes, json: await yamlWork.toJson(bytes) };
}

/**
 * Changes the value of one key and no other byte. Returns JSON text with the previous value, and the new entity tag.
 * @throws ServiceError `precondition_failed`, `config_key_not_found`, `wrong_value_type`, `validation_failed`,
 * `conflict`, `file_too_large`, and as `readLlmConfig`.
 */
export function changeLlmConfig(
  { llmConfigFile, yamlWork }: LlmConfigPorts,
  { key, value, ifMatch }: LlmConfigChangeRequest,
): Promise<{ answer: string; etag: string }> {
  assertValidUnicode(value);
  return llmConfigFile.update(async (current) => {
    const tags = entityTags(current);
    if (!matchesTag(ifMatch, [tags.json, tags.yaml])) throw changedSince();
    const { bytes, answer } = await yamlWork.change(current, { key, value });
    if (bytes.equals(current)) return { bytes: undefined, result: { answer, etag: tags.json } };
    if (bytes.length > MAX_LLM_CONFIG_BYTES) throw tooLarge();
    return { bytes, result: { answer, etag: entityTags(bytes).json } };
  });
}

function changedSince(): ServiceError {
  return new ServiceError('precondition_failed', {
    detail: 'The configuration has changed since it was read; nothing was written. Read it again.',
  });
}

function tooLarge(): ServiceError {
  return new ServiceError('file_too_large', {
    detail: `With this value the configuration would exceed ${MAX_LLM_CONFIG_BYTES} bytes; nothing was written.`,
  });
}
