import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { KeyRing } from '../../../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { TokenCache } from '../../../../functions/shared/identity/cache.ts';
import { createTokens } from '../../../../functions/shared/identity/tokens.ts';
import { keyRecord, NOON, tokenWorld } from '../../../support/auth.ts';
import { refusal } from '../../../support/errors.ts';

const GRANT = { accessLevel: 'ADMIN', keyId: 'k1', mayPublish: false } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('A minted token', () => {
  it('has exactly the specified claims', async () => {
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
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{10}$/),
      key_id: 'k1',
      username: 'ann',
      mediamtx_permissions: [{ action: 'read', path: '' }],
    });
  });

  it('may publish streams when granted', async () => {
    const { token } = await createTokens(tokenWorld()).mint({ ...GRANT, mayPublish: true });
    expect(decodeJwt(token).mediamtx_permissions).toEqual([
      { action: 'read', path: '' },
      { action: 'publish', path: '' },
    ]);
  });

  it('stays under 900 bytes with the longest possible names', async () => {
    const world = tokenWorld({
      SERVICE_ROBOT_ID: 'r'.repeat(64),
      SERVICE_ISSUER: 'i'.repeat(64),
      SERVICE_SESSION_MAX_HOURS: '168',
    });
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

  it('has a unique id', async () => {
    const tokens = createTokens(tokenWorld());
    const minted = await Promise.all([1, 2, 3].map(() => tokens.mint({ ...GRANT, clientId: 'same' })));
    expect(new Set(minted.map(({ token }) => decodeJwt(token).jti)).size).toBe(3);
  });
});

describe('With SERVICE_SESSION_MAX_HOURS', () => {
  const limited = () => tokenWorld({ SERVICE_SESSION_MAX_HOURS: '1' });

  it('a token says when its session began, and is no longer for it than before', async () => {
    const world = limited();
    const { token } = await createTokens(world).mint(GRANT);
    expect(decodeJwt(token)).toMatchObject({ auth_time: NOON / 1000, exp: NOON / 1000 + 1800 });
  });

  it('refreshed tokens keep the start of the session, and the last one ends when the session does', async () => {
    const world = limited();
    const tokens = createTokens(world);
    let { token } = await tokens.mint(GRANT);
    for (const [minutes, end] of [
      [29, 59],
      [58, 60],
    ] as const) {
      world.now = NOON + minutes * 60_000;
      const minted = await tokens.mint(await tokens.verify(token));
      expect(decodeJwt(minted.token)).toMatchObject({ auth_time: NOON / 1000, exp: NOON / 1000 + end * 60 });
      token = minted.token;
    }
    world.now = NOON + 3_600_000 + 5_000;
    expect(await refusal(() => tokens.verify(token))).toMatchObject({
      code: 'token_expired',
      message: expect.stringContaining('SERVICE_SESSION_MAX_HOURS'),
    });
    expect(await tokens.verify(token, 'stop')).toMatchObject({ keyId: 'k1' });
  });

  it('a session that is older than the present limit is over', async () => {
    const world = tokenWorld({ SERVICE_SESSION_MAX_HOURS: '2' });
    const before = await createTokens(world).verify((await createTokens(world).mint(GRANT)).token);
    world.now += 90 * 60_000;
    const { token } = await createTokens(world).mint(before);
    await createTokens(world).verify(token);
    const lowered = createTokens({ ...world, config: { ...world.config, SERVICE_SESSION_MAX_HOURS: 1 } });
    expect((await refusal(() => lowered.verify(token))).code).toBe('token_expired');
  });

  it('a token from before there was a limit counts from its own time of issue', async () => {
    const world = tokenWorld();
    const { token } = await createTokens(world).mint(GRANT);
    expect(decodeJwt(token).auth_time).toBeUndefined();
    const { config } = limited();
    expect((await createTokens({ ...world, config }).verify(token)).authTime).toBe(NOON / 1000);
  });
});

it('A token ends when its API key does', async () => {
  const world = tokenWorld();
  world.keyStore.records = [keyRecord('k1', 'ADMIN', { expires_at: new Date(NOON + 600_000).toISOString() })];
  const tokens = createTokens(world);
  const { token, expiresAt } = await tokens.mint(GRANT);
  expect([expiresAt, decodeJwt(token).exp]).toEqual([NOON / 1000 + 600, NOON / 1000 + 600]);
  world.now = NOON + 600_000;
  expect((await refusal(() => tokens.verify(token, 'stream'))).code).toBe('token_expired');
});

describe('A cached token is checked again at every use:', () => {
  const CHANGES = {
    'its API key was revoked': [keyRecord('k1', 'ADMIN', { revoked_at: '2027-03-01T12:00:00Z' })],
    'its API key was lowered': [keyRecord('k1', 'USER')],
    'its API key was raised': [keyRecord('k1', 'ENCHANTER')],
    'its API key was limited to other robots': [keyRecord('k1', 'ADMIN', { robots: ['robot-9'] })],
    'its API key has expired': [keyRecord('k1', 'ADMIN', { expires_at: new Date(NOON).toISOString() })],
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

  it.each([
    ['accepts', 5],
    ['refuses', 6],
  ])('%s one that was issued %d s in the future, for whatever it is shown', async (outcome, seconds) => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token } = await tokens.mint(GRANT);
    await tokens.verify(token);
    world.now -= seconds * 1000;
    for (const use of ['request', 'stop', 'stream'] as const) {
      const answers = [() => tokens.verify(token, use), () => createTokens(world).verify(token, use)];
      for (const answer of answers) {
        if (outcome === 'accepts') expect(await answer()).toMatchObject({ keyId: 'k1' });
        else expect(await refusal(answer)).toMatchObject({ code: 'token_invalid', status: 401 });
      }
    }
  });

  it('its client has logged out, which only stop overlooks', async () => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token, clientId } = await tokens.mint(GRANT);
    await tokens.verify(token);
    await world.revocations.logOut({ clientId, keyId: 'k1' });
    for (const use of ['request', 'stream'] as const) {
      expect((await refusal(() => tokens.verify(token, use))).code).toBe('token_invalid');
    }
    expect(await tokens.verify(token, 'stop')).toMatchObject({ clientId });
  });

  it.each([
    ['there is no socket any more', { SERVICE_SOCKET_PATH: '' }, ''],
    ["the socket's level was lowered below its own", { SERVICE_SOCKET_ACCESS_LEVEL: 'USER' }, ''],
    ["the socket's tokens were revoked", {}, 'next'],
  ])('one minted over the Unix socket: %s', async (_name, settings, generation) => {
    const world = tokenWorld();
    const { token } = await createTokens(world).mint({ ...GRANT, keyId: 'local' });
    const later = { ...world, config: { ...world.config, ...settings } };
    later.revocations.generation = generation;
    const tokens = createTokens(later as typeof world); // as: of the settings only the type widened
    for (const use of ['request', 'stop', 'stream'] as const) {
      expect(await refusal(() => tokens.verify(token, use))).toMatchObject({ code: 'key_revoked', status: 401 });
    }
  });

  it('one minted over the Unix socket of a level that the socket still has', async () => {
    const world = tokenWorld({ SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
    world.revocations.generation = 'second';
    const tokens = createTokens(world);
    const { token } = await tokens.mint({ ...GRANT, keyId: 'local' });
    expect(await tokens.verify(token)).toMatchObject({ keyId: 'local', accessLevel: 'ADMIN' });
  });

  it('one minted over the Unix socket depends on no API key', async () => {
    const world = tokenWorld();
    const tokens = createTokens(world);
    const { token } = await tokens.mint({ ...GRANT, keyId: 'local' });
    world.keyStore.records = [];
    expect(await tokens.verify(token)).toMatchObject({ keyId: 'local' });
    expect(tokens.verify(token)).toMatchObject({ keyId: 'local' });
  });
});

describe('The cache of verified tokens', () => {
  const verified = (expiresAt: number) => ({
    caller: { clientId: 'c', accessLevel: 'USER', keyId: 'k1', mayPublish: false } as const,
    kid: 'x',
    issuedAt: expiresAt - 1800,
    expiresAt,
    socketGeneration: '',
  });

  it('is bounded and evicts the oldest', () => {
    const cache = new TokenCache(3);
    for (const token of ['a', 'b', 'c', 'd', 'e']) cache.remember(token, verified(100), 0);
    expect(cache.size).toBe(3);
    expect(['a', 'b', 'c', 'd', 'e'].filter((token) => cache.get(token))).toEqual(['c', 'd', 'e']);
  });

  it('evicts tokens that are no longer valid', () => {
    const cache = new TokenCache();
    cache.remember('old', verified(100), 0);
    cache.remember('new', verified(2000), 100);
    expect([cache.get('old'), cache.size]).toEqual([undefined, 1]);
  });
});
