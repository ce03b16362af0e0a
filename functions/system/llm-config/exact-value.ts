import { ServiceError } from '../../shared/errors.ts';
import type { ConfigValue } from './yaml/config-value.ts';

/**
 * Refuses what would not read back as it was sent: text that is no Unicode. Integers that were rounded on the way in have
 * been refused before. @throws ServiceError `validation_failed`.
 */
export function requireExact(value: ConfigValue, pointer = '/value'): void {
  if (typeof value === 'string') requireUnicode(value, pointer);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    requireUnicode(key, pointer);
    requireExact(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function requireUnicode(text: string, pointer: string): void {
  if (/\p{Surrogate}/u.test(text))
    throw inexact(pointer, 'The text holds half of a surrogate pair, which is no character.');
}

function inexact(pointer: string, message: string): ServiceError {
  return new ServiceError('validation_failed', { detail: `${message} (${pointer})`, errors: [{ pointer, message }] });
}
