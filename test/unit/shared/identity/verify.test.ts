import { createHmac, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, SignJWT } from 'jose';
import { KeyRing } from '../../../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { createTokens } from '../../../../functions/shared/identity/tokens.ts';
import { NOON, tokenWorld } from '../../../support/auth.ts';
import { refusal } from '../../../support/errors.ts';

const GRANT = { accessLevel: 'ADMIN', keyId: 'k1', mayPublish: false } as const;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A world, its tokens, one good token and the means to forge others of the same claims. */
async function forge() {
  const world = tokenWorld();
  const tokens = createTokens(world);
  const { token } = await tokens.mint(GRANT);
  const { kid, privateKey } = world.signingKeys.current(NOON);
  const claims = decodeJwt(token);
  const sign = (changes: object, header: object = {}, key: KeyObject = privateKey) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, ...header } as JWTHeaderParameters) // as: some forgeries have odd headers
      .sign(key);
  return { world, tokens, token, kid, claims, sign };
}
type Forge = Awaited<ReturnType<typeof forge>>;

/** The token with one character of one part changed. */
function tampered(token: string, part: 0 | 1 | 2, at = 10): string {
  const parts = token.split('.');
  const text = parts[part] ?? '';
  const index = at < 0 ? text.length + at : at;
  parts[part] = `${text.slice(0, index)}${text[index] === 'B' ? 'C' : 'B'}${text.slice(index + 1)}`;
  return parts.join('.');
}

describe('A token of this service', () => {
  it('identifies its client', async () => {
    const { tokens } = await forge();
    const { token, clientId } = await tokens.mint({ ...GRANT, username: 'ann', mayPublish: true });
    expect(await tokens.verify(token)).toEqual({
      clientId,
      accessLevel: 'ADMIN',
      keyId: 'k1',
      authTime: NOON / 1000,
      expiresAt: NOON / 1000 + 1800,
      username: 'ann',
      mayPublish: true,
    });
  });

  it('is accepted again without a promise, hence without cryptography', async () => {
    const { tokens, token } = await forge();
    const first = tokens.verify(token);
    expect(first).toBeInstanceOf(Promise);
    const caller = await first;
    expect(tokens.verify(token)).toBe(caller);
  });

  it('is accepted up to five seconds after expiry', async () => {
    const { world, tokens, token, claims } = await forge();
    world.now = (claims.exp ?? 0) * 1000 + 4_999;
    await tokens.verify(token);
    world.now += 1;
    expect((await refusal(() => tokens.verify(token))).code).toBe('token_expired');
    expect((await refusal(() => createTokens(world).verify(token))).code).toBe('token_expired');
  });

  it('can stop the robot up to ten minutes after expiry', async () => {
    const { world, tokens, token, claims } = await forge();
    world.now = (claims.exp ?? 0) * 1000 + 599_999;
    expect(await tokens.verify(token, 'stop')).toMatchObject({ keyId: 'k1' });
    expect((await refusal(() => tokens.verify(token))).code).toBe('token_expired');
    world.now += 1;
    expect((await refusal(() => tokens.verify(token, 'stop'))).code).toBe('token_expired');
  });

  it('can stop the robot in these ten minutes even when its signing key is no longer published', async () => {
    const old = newKey();
    const { world, tokens } = await forge();
    world.signingKeys.ring = new KeyRing([old, newKey(NOON + 1000)]);
    const { token } = await tokens.mint(GRANT);
    world.now = NOON + 36 * 60_000;
    expect(world.signingKeys.published(world.now)).toHaveLength(1);
    expect(await tokens.verify(token, 'stop')).toMatchObject({ keyId: 'k1' });
  });
});

describe('A forged token is refused as token_invalid:', () => {
  const FORGERIES: Record<string, (f: Forge) => string | Promise<string>> = {
    'a changed header': ({ token }) => tampered(token, 0),
    'a changed payload': ({ token }) => tampered(token, 1, 60),
    'a changed signature': ({ token }) => tampered(token, 2),
    'another spelling of the same signature': ({ token }) => tampered(token, 2, -1),
    'padding at the end': ({ token }) => `${token}==`,
    'no signature': ({ token }) => `${token.split('.').slice(0, 2).join('.')}.`,
    'alg none': ({ claims, kid }) => `${base64url({ alg: 'none', typ: 'JWT', kid })}.${base64url(claims)}.`,
    'alg none with the old signature': ({ claims, kid, token }) =>
      `${base64url({ alg: 'none', kid })}.${base64url(claims)}.${token.split('.')[2]}`,
    'HS256 with the public key as the secret': ({ world, claims, kid }) => {
      const signed = `${base64url({ alg: 'HS256', typ: 'JWT', kid })}.${base64url(claims)}`;
      const secret = world.signingKeys.publicKey(kid, NOON)?.export({ type: 'spki', format: 'pem' }) ?? '';
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    },
    'a foreign key under our kid': ({ sign }) => sign({}, {}, newKey().privateKey),
    'a foreign key under its own kid': ({ sign }) => {
      const foreign = newKey();
      return sign({}, { kid: foreign.kid }, foreign.privateKey);
    },
    'a foreign key inside the token': ({ sign }) => {
      const foreign = newKey();
      const jwk = foreign.privateKey.export({ format: 'jwk' });
      return sign({}, { kid: foreign.kid, jwk: { kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y } }, foreign.privateKey);
    },
    'a foreign key at a URL': ({ sign }) => {
      const foreign = newKey();
      const url = 'http://127.0.0.1:1/jwks.json';
      return sign({}, { kid: foreign.kid, jku: url, x5u: url }, foreign.privateKey);
    },
    'no kid': ({ sign }) => sign({}, { kid: undefined }),
    'a kid that is no text': ({ claims, token }) =>
      `${base64url({ alg: 'ES256', kid: { a: 1 } })}.${base64url(claims)}.${token.split('.')[2]}`,
    'a critical extension': ({ claims, kid, token }) =>
      `${base64url({ alg: 'ES256', kid, crit: ['x'], x: 1 })}.${base64url(claims)}.${token.split('.')[2]}`,
    'another issuer': ({ sign }) => sign({ iss: 'other' }),
    'another robot': ({ sign }) => sign({ aud: 'robot-2' }),
    'several robots': ({ sign }) => sign({ aud: ['robot-1', 'robot-2'] }),
    'a life of more than 30 minutes': ({ sign }) => sign({ exp: NOON / 1000 + 1801 }),
    'a life of more than 30 minutes, ended by now': ({ sign }) => sign({ iat: NOON / 1000 - 3600 }),
    'no iat': ({ sign }) => sign({ iat: undefined }),
    'no exp': ({ sign }) => sign({ exp: undefined }),
    'an exp that is no number': ({ token, claims }) =>
      `${token.split('.')[0]}.${base64url({ ...claims, exp: 'never' })}.${token.split('.')[2]}`,
    'an unknown level': ({ sign }) => sign({ access_level: 'ROOT' }),
    'a token of 3 000 characters': ({ sign }) => sign({ more: 'x'.repeat(2000) }),
    'a megabyte': () => 'a'.repeat(1 << 20),
    'three parts of nonsense': () => `a.b.${'c'.repeat(86)}`,
    'two parts': () => 'a.b',
    nothing: () => '',
  };

  it.each(Object.entries(FORGERIES))('%s', async (_name, make) => {
    const forgery = await forge();
    const { tokens } = forgery;
    const bad = await make(forgery);
    expect(await refusal(() => tokens.verify(bad))).toMatchObject({ code: 'token_invalid' });
    expect(await tokens.verify(forgery.token)).toMatchObject({ keyId: 'k1' });
  });

  it('never calls a forged token expired', async () => {
    const { tokens, sign } = await forge();
    const bad = await sign({ exp: 1 }, {}, newKey().privateKey);
    expect((await refusal(() => tokens.verify(bad))).code).toBe('token_invalid');
  });
});

describe('The header of a token', () => {
  it('names algorithm, type and key', async () => {
    const { token, kid } = await forge();
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT', kid });
  });
});
