import type { AccessLevel } from '../../functions/shared/access.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import type { Tokens } from '../../functions/shared/identity/tokens.ts';
import { give } from '../../functions/shared/port.ts';
import { type HttpCall, http } from './http.ts';
import type { TestService } from './service.ts';

/** Every token is the id of a key, or its level and the id: `ADMIN:carol`. */
const keyTokens: Tokens = {
  mint: () => Promise.reject(new Error('no token is minted here')),
  verify: (token) => {
    const [keyId = '', accessLevel = 'USER'] = token.split(':').reverse();
    return { clientId: keyId, accessLevel: accessLevel as AccessLevel, keyId, mayPublish: false }; // as: written in tests
  },
};

/** For a service whose callers show the id of a key in place of a token. */
export const KEYS_AS_TOKENS = give(tokens, keyTokens);

/** A request with the key of this id. */
export function withKey({ url }: TestService, key: string, path: string, call: HttpCall = {}) {
  return http(url, path, { ...call, headers: { ...call.headers, authorization: `Bearer ${key}` } });
}

/** How often a budget was exceeded, as /metrics says. */
export async function exceeded({ url }: TestService, budget: string): Promise<number> {
  const { text } = await http(url, '/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`budget_exceeded_total{budget="${budget}"}`));
  return Number(line?.split(' ')[1] ?? 0);
}
