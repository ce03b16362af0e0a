import { invalidToken } from './invalid-token.ts';
import { createTokens, type TokenParts, type Tokens } from './tokens.ts';

/** Starts the `key_id` of tokens for runs of skills. No API key can have such an id. */
const RUN_KEY_PREFIX = 'run:';

/** Whom the requests of a run are from. */
export function runIdentity(runId: string): { readonly clientId: string; readonly keyId: string } {
  return { clientId: runId, keyId: RUN_KEY_PREFIX + runId };
}

/**
 * The tokens of one run, at level USER: the only ones its listeners accept, and accepted there only, since no other
 * part of the service knows their key. Stream servers, which know no keys, are given nothing that they would allow.
 * @param isRefused whether the run may not do anything any more; its tokens count as revoked then.
 */
export function createRunTokens(parts: TokenParts, runId: string, isRefused: () => boolean): Tokens {
  const { clientId, keyId } = runIdentity(runId);
  const key = { id: keyId, name: 'run', level: 'USER', sha256: '', created_at: '', revoked_at: null } as const;
  const ownTokens = createTokens({
    ...parts,
    keyStore: {
      findBySecret: () => undefined,
      findById: (id) => (id === keyId && !isRefused() ? key : undefined),
      list: () => [],
      problem: () => undefined,
    },
  });
  return {
    mint: (grant) =>
      ownTokens.mint({ ...grant, clientId, keyId, accessLevel: 'USER', mayPublish: false, streams: false }),
    verify(token, use) {
      const verified = ownTokens.verify(token, use);
      const assertOwn = <T extends { readonly keyId: string }>(caller: T): T => {
        if (caller.keyId === keyId) return caller;
        throw invalidToken('A run of a skill uses its own tokens: GET /api/v2/auth/ over its socket.');
      };
      return verified instanceof Promise ? verified.then(assertOwn) : assertOwn(verified);
    },
  };
}
