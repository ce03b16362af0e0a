import { badAnswer, text } from './errors.ts';
import type { components } from './openapi.ts';
import type { Stopwatch } from './time.ts';

export type AccessLevel = components['schemas']['AccessLevel'];

/** A token as its siblings (other tabs, say) may be handed it. */
export interface Token {
  readonly token: string;
  readonly clientId: string;
  readonly accessLevel: AccessLevel;
}

export interface HeldToken extends Token {
  readonly age: Stopwatch;
  readonly lifeMs: number;
}

/** The answer to an authentication. @throws Unavailable `bad_answer`. */
export function readToken(answer: Record<string, unknown>, age: Stopwatch): HeldToken {
  const token = text(answer.token);
  const seconds = answer.expires_in;
  if (
    token === undefined ||
    !isSendable(token) ||
    typeof seconds !== 'number' ||
    !(seconds >= 0 && seconds <= 86_400)
  ) {
    throw badAnswer('no token');
  }
  const accessLevel = answer.access_level as AccessLevel; // as: the three are all there are
  return { token, clientId: text(answer.client_id) ?? '', accessLevel, age, lifeMs: seconds * 1000 };
}

/** What a header can carry; fetch would quote anything else in its error. */
function isSendable(secret: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(secret);
}

/** @throws TypeError, which does not quote it. */
export function assertSendable(secret: string): void {
  if (!isSendable(secret)) throw new TypeError('The key or token is empty, or has characters that none has.');
}
