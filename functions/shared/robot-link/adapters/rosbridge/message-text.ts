import { ServiceError } from '../../../errors.ts';
import { isJsonObject, type JsonObject, nonFiniteIn } from '../../../kit/json.ts';

/**
 * A message as it is sent. @throws ServiceError `validation_failed` for a number that JSON would turn into null: nobody
 * knows what a robot makes of that.
 */
export function wireText(message: JsonObject): string {
  if (!nonFiniteIn(message)) return JSON.stringify(message);
  throw new ServiceError('validation_failed', { detail: 'A number is too large to be sent; nothing was sent.' });
}

/** A message of the rosbridge protocol, or undefined when the text is not one. */
export function messageIn(text: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isJsonObject(message) && typeof message.op === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
