import type { LlmConfigFile } from '../../shared/adapters/llm-config-file/port.ts';
import { MAX_LLM_CONFIG_BYTES } from '../../shared/adapters/llm-config-file/port.ts';
import { matchesTag } from '../../shared/entity-tag.ts';
import { ServiceError } from '../../shared/errors.ts';
import { requireExact } from './exact-value.ts';
import { entityTags } from './representation.ts';
import type { ConfigMap, ConfigValue } from './yaml/config-value.ts';
import { readDocument } from './yaml/document.ts';
import { patch } from './yaml/patch.ts';

export interface LlmConfigState {
  readonly bytes: Buffer;
  readonly value: ConfigMap;
}

export interface LlmConfigWish {
  readonly key: string;
  readonly value: ConfigValue;
  /** Makes the change only if the configuration still has one of these entity tags. */
  readonly ifMatch: string | undefined;
}

/** The configuration as it stands. @throws ServiceError `config_unreadable` with line and column, `component_unavailable`. */
export async function readLlmConfig(file: LlmConfigFile): Promise<LlmConfigState> {
  const bytes = await file.read();
  return { bytes, value: readDocument(bytes).value };
}

/**
 * Changes one key and no byte outside its value; answers what stood there and the entity tag of the new state.
 * @throws ServiceError `precondition_failed`, `config_key_not_found`, `wrong_value_type`, `validation_failed`, `conflict`,
 * `file_too_large`, and as `readLlmConfig`.
 */
export function changeLlmConfig(
  file: LlmConfigFile,
  { key, value, ifMatch }: LlmConfigWish,
): Promise<{ previous: ConfigValue; etag: string }> {
  requireExact(value);
  return file.update((present) => {
    const tags = entityTags(present);
    if (!matchesTag(ifMatch, [tags.json, tags.yaml])) throw changedSince();
    const { text, previous } = patch(readDocument(present), key, value);
    const bytes = Buffer.from(text);
    if (bytes.equals(present)) return { bytes: undefined, result: { previous, etag: tags.json } };
    if (bytes.length > MAX_LLM_CONFIG_BYTES) throw tooLarge();
    return { bytes, result: { previous, etag: entityTags(bytes).json } };
  });
}

function changedSince(): ServiceError {
  return new ServiceError('precondition_failed', {
    detail: 'The configuration has changed since it was read; nothing was changed now. Read it again.',
  });
}

function tooLarge(): ServiceError {
  return new ServiceError('file_too_large', {
    detail: `With this value the configuration would have more than ${MAX_LLM_CONFIG_BYTES} bytes; nothing was changed.`,
  });
}
