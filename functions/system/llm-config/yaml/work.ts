import type { ChangedYaml, KeyChange } from '../port.ts';
import { jsonText } from './config-value.ts';
import { readDocument } from './document.ts';
import { patch } from './patch.ts';

/** The configuration as JSON text. @throws ServiceError `config_unreadable` with line and column. */
export function toJson(bytes: Buffer): Buffer {
  return Buffer.from(jsonText(readDocument(bytes).value));
}

/** Changes the value of one key and no other byte. @throws ServiceError as `patch`, and as {@link toJson}. */
export function change(bytes: Buffer, { key, value }: KeyChange): ChangedYaml {
  const { text, previous } = patch(readDocument(bytes), key, value);
  return { bytes: Buffer.from(text), answer: jsonText({ command: key, value, previous }) };
}
