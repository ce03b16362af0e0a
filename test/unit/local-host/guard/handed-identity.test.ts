import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { createTokens } from '../../../../functions/shared/identity/tokens.ts';
import { HandedIdentity } from '../../../../local-host/guard/handed-identity.ts';
import type { Identity } from '../../../../local-host/guard/messages.ts';
import { FakeKeyStore, FakeRevocations, keyRecord, NOON } from '../../../support/auth.ts';
import { refusal } from '../../../support/errors.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../support/world.ts';

const config = testConfig();
const signingKeys = new KeyRing([newKey()]);
const service = createTokens({
  config,
  clock: () => NOON,
  signingKeys,
  keyStore: new FakeKeyStore([keyRecord('k1', 'USER')]),
  revocations: new FakeRevocations(),
});
const handed: Identity = {
  keys: signingKeys.published(NOON),
  api_keys: [{ id: 'k1', level: 'USER', revoked: false }],
  socket_generation: '',
};

describe('The guard', () => {
  let now: number;
  let path: string;
  let token: string;
  const open = () => new HandedIdentity({ config, logger: silentLogger, clock: () => now, path });
  const codeOf = async (identity: HandedIdentity, shown = token) => (await refusal(() => identity.verify(shown))).code;
  const knowing = (changes: Partial<Identity> = {}) => {
    const identity = open();
    identity.take({ ...handed, ...changes });
    return identity;
  };
  beforeEach(async () => {
    now = NOON;
    path = join(temporaryFolder(), 'identity.json');
    ({ token } = await service.mint({ accessLevel: 'USER', keyId: 'k1', mayPublish: false, clientId: 'alice' }));
  });

  it('accepts tokens of the service, until ten minutes after their end', async () => {
    const identity = knowing();
    expect(identity.verify(token)).toMatchObject({ clientId: 'alice', accessLevel: 'USER', keyId: 'k1' });
    now = NOON + 39 * 60_000;
    expect(identity.verify(token)).toMatchObject({ clientId: 'alice' });
    now = NOON + 41 * 60_000;
    expect(await codeOf(identity)).toBe('token_expired');
  });

  it('keeps what it was handed for the guard that follows it', () => {
    knowing();
    expect(open().verify(token)).toMatchObject({ clientId: 'alice' });
  });

  it('refuses tokens before it has heard from the service', async () => {
    expect(await codeOf(open())).toBe('component_unavailable');
  });

  it.each<[string, Partial<Identity>, string]>([
    ['a revoked key', { api_keys: [{ id: 'k1', level: 'USER', revoked: true }] }, 'key_revoked'],
    ['a key of another level', { api_keys: [{ id: 'k1', level: 'ADMIN', revoked: false }] }, 'key_revoked'],
    [
      'a key for other robots',
      { api_keys: [{ id: 'k1', level: 'USER', revoked: false, robots: ['r2'] }] },
      'key_revoked',
    ],
    ['an unknown key', { api_keys: [] }, 'key_revoked'],
    ['another signing key', { keys: new KeyRing([newKey()]).published(NOON) }, 'token_invalid'],
  ])('refuses a token of %s, also one that it has accepted before', async (_what, changes, code) => {
    const identity = knowing();
    identity.verify(token);
    identity.take({ ...handed, ...changes });
    expect(await codeOf(identity)).toBe(code);
    expect(await codeOf(knowing(changes))).toBe(code);
  });

  it('refuses a changed token, and one without a signature', async () => {
    const [head = '', , signature = ''] = token.split('.');
    const [, , otherSignature = ''] = (
      await service.mint({ accessLevel: 'USER', keyId: 'k1', mayPublish: false })
    ).token.split('.');
    expect(await codeOf(knowing(), token.replace(signature, otherSignature))).toBe('token_invalid');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: handed.keys[0]?.kid })).toString('base64url');
    expect(await codeOf(knowing(), token.replace(head, none))).toBe('token_invalid');
  });

  it('judges tokens of the Unix socket by its present generation', async () => {
    ({ token } = await service.mint({ accessLevel: 'USER', keyId: 'local', mayPublish: false }));
    expect(knowing().verify(token)).toMatchObject({ keyId: 'local' });
    expect(await codeOf(knowing({ socket_generation: 'next' }))).toBe('key_revoked');
  });
});
