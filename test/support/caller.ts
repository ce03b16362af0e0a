import type { AccessLevel } from '../../functions/shared/access.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { give, type Port } from '../../functions/shared/port.ts';

/** Tokens of which every one speaks for a caller of this level; for single handlers, whose tokens are not the subject. */
export function callersAre(accessLevel: AccessLevel): readonly [Port<unknown>, unknown] {
  return give(tokens, {
    verify: () => ({ clientId: 'client-1', accessLevel, keyId: 'key-1', mayPublish: false }),
    mint: () => {
      throw new Error('nothing is minted here');
    },
  });
}
