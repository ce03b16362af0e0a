import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { KeyRing } from '../../../../functions/shared/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../functions/shared/adapters/signing-keys/pem.ts';
import { TokenCache } from '../../../../functions/shared/tokens/cache.ts';
import { createTokens } from '../../../../functions/shared/tokens/tokens.ts';
import { keyRecord, NOON, tokenWorld } from '../../../support/auth.ts';
import { refusal } from '../../../support/errors.ts';

const GRANT = { accessLevel: 'ADMIN', keyId: 'k1', mayPublish: false } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('A minted token', () => {
  it('says exactly what it should', async () => {
    const { token, clientId, expiresAt } = await createTokens(tokenWorld()).mint({ ...GRANT, username: 'ann' });
    expect(clientId).toMatch(UUID);
    expect(expiresAt).toBe(NOON / 1000 + 1800);
    expect(decodeJwt(token)).toEqual({
      iss: 'robot-rest',
      aud: 'robot-1',
      sub: clientId,
      client_id: clientId,
      access_level: 'ADMIN',
      iat: NOON / 1000,
      exp: NOON / 1000 + 1800,
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      key_id: 'k1',
      username: 'ann',
      mediamtx_permissions: [{ action: 'read', path: '' }],
    });
  });

  it('may publish streams when that was granted', async () => {
    const { token } = await createTokens(tokenWorld()).mint({ ...GRANT, mayPublish: true });
    expect(decodeJwt(token).mediamtx_permissions).toEqual([
      { action: 'read', path: '' },
      { action: 'publish', path: '' },
    ]);
  });

  it('stays under 900 bytes with the longest names there can be', async () => {
    const world = tokenWorld({ SERVICE_ROBOT_ID: 'r'.repeat(64), SERVICE_ISSUER: 'i'.repeat(64) });
    const grant = {
      accessLevel: 'ENCHANTER',
      keyId: 'k'.repeat(24),
      username: 'u'.repeat(48),
      mayPublish: true,
    } as const;
    const { token } = await createTokens(world).mint(grant);
    expect(token.length).toBeLessThan(900);
    world.keyStore.records = [keyRecord('k'.repeat(24), 'ENCHANTER')];
    expect(await createTokens(world).verify(token)).toMatchObject({ username: 'u'.repeat(48) });
  });

  it('has an id of its own', async () => {
    const tokens = createTokens(tokenWorld());
    const minted = await Promise.all([1, 2, 3].map(() => tokens.mint({ ...GRANT, clientId: 'same' })));
    expect(new Set(minted.map(({ token }) => decodeJwt(token).jti)).size).toBe(3);
  });
});

describe('A remembered token is judged anew at every use:', () => {
  const CHANGES = {
    'its API key was revoked': [keyRecord('k1', 'ADMIN', { revoked_at: '2027-03-01T12:00:00Z' })],
    'its API key was lowered': [keyRecord('k1', 'USER')],
    'its API key was raised': [keyRecord('k1', 'ENCHANTER')],
    'its API key was limited to other robots': [keyRecord('k1', 'ADMIN', { robots: ['robot-9'] })],
    'its API key is gone': [],
  };

  it.each(Object.entries(CHANGES))('%s', async (_name, records) => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token } = await tokens.mint(GRANT);
    await tokens.verify(token);
    world.keyStore.records = records;
    expect(await refusal(() => tokens.verify(token))).toMatchObject({ code: 'key_revoked', status: 401 });
    expect((await refusal(() => createTokens(world).verify(token))).code).toBe('key_revoked');
  });

  it('its signing key was replaced', async () => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token } = await tokens.mint(GRANT);
    await tokens.verify(token);
    world.signingKeys.ring = new KeyRing([newKey()]);
    expect((await refusal(() => tokens.verify(token))).code).toBe('token_invalid');
  });

  it('but one minted over the Unix socket hangs on no API key', async () => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token } = await tokens.mint({ ...GRANT, keyId: 'local' });
    world.keyStore.records = [];
    expect(await tokens.verify(token)).toMatchObject({ keyId: 'local' });
    expect(tokens.verify(token)).toMatchObject({ keyId: 'local' });
  });
});

describe('The memory of verified tokens', () => {
  const verified = (expiresAt: number) => ({
    caller: { clientId: 'c', accessLevel: 'USER', keyId: 'k1', mayPublish: false } as const,
    kid: 'x',
    expiresAt,
  });

  it('is bounded; the oldest make room', () => {
    const cache = new TokenCache(3);
    for (const token of ['a', 'b', 'c', 'd', 'e']) cache.remember(token, verified(100), 0);
    expect(cache.size).toBe(3);
    expect(['a', 'b', 'c', 'd', 'e'].filter((token) => cache.get(token))).toEqual(['c', 'd', 'e']);
  });

  it('lets go of tokens that are of no more use', () => {
    const cache = new TokenCache();
    cache.remember('old', verified(100), 0);
    cache.remember('new', verified(2000), 100);
    expect([cache.get('old'), cache.size]).toEqual([undefined, 1]);
  });
});
