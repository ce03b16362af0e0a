import { ServiceError } from '../../shared/errors.ts';
import { matchesTag } from '../../shared/pipeline/entity-tag.ts';

import type { LlmConfigFile } from './port.ts';
import { MAX_LLM_CONFIG_BYTES } from './port.ts';
import { entityTags } from './representation.ts';
import { assertValidUnicode } from './valid-unicode.ts';
import type { ConfigMap, ConfigValue } from './yaml/config-value.ts';
import { readDocument } from './yaml/document.ts';
import { patch } from './yaml/patch.ts';

interface LlmConfigState {
  readonly bytes: Buffer;
  readonly value: ConfigMap;
}

interface LlmConfigChangeRequest {
  readonly key: string;
  readonly value: ConfigValue;
  /** Only makes the change if the configuration still has one of these entity tags. */
  readonly ifMatch: string | undefined;
}

/** Reads the configuration. @throws ServiceError `config_unreadable` with line and column, `component_unavailable`. */
export async function readLlmConfig(file: Pick<LlmConfigFile, 'read'>): Promise<LlmConfigState> {
  const bytes = await file.read();
  return { bytes, value: readDocument(bytes).value };
}

/**
 * Changes the value of one key and no other byte. Returns the previous value and the new entity tag.
 * @throws ServiceError `precondition_failed`, `config_key_not_found`, `wrong_value_type`, `validation_failed`,
 * `conflict`, `file_too_large`, and as `readLlmConfig`.
 */
export function changeLlmConfig(
  file: LlmConfigFile,
  { key, value, ifMatch }: LlmConfigChangeRequest,
): Promise<{ previous: ConfigValue; etag: string }> {
  assertValidUnicode(value);
  return file.update((current) => {
    const tags = entityTags(current);
    if (!matchesTag(ifMatch, [tags.json, tags.yaml])) throw changedSince();
    const { text, previous } = patch(readDocument(current), key, value);
    const bytes = Buffer.from(text);
    if (bytes.equals(current)) return { bytes: undefined, result: { previous, etag: tags.json } };
    if (bytes.length > MAX_LLM_CONFIG_BYTES) throw tooLarge();
    return { bytes, result: { previous, etag: entityTags(bytes).json } };
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
