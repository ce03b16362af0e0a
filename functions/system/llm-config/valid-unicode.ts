import { ServiceError } from '../../shared/errors.ts';
import type { ConfigValue } from './yaml/config-value.ts';

/**
 * Rejects text that is not valid Unicode, because it would not read back as it was sent. Integers beyond 2^53 have been
 * rejected before. @throws ServiceError `validation_failed`.
 */
export function assertValidUnicode(value: ConfigValue, pointer = '/value'): void {
  if (typeof value === 'string') assertNoLoneSurrogate(value, pointer);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    assertNoLoneSurrogate(key, pointer);
    assertValidUnicode(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function assertNoLoneSurrogate(text: string, pointer: string): void {
  if (/\p{Surrogate}/u.test(text)) throw invalidText(pointer, 'The text contains half of a surrogate pair.');
}

function invalidText(pointer: string, message: string): ServiceError {
  return new ServiceError('validation_failed', { detail: `${message} (${pointer})`, errors: [{ pointer, message }] });
}
