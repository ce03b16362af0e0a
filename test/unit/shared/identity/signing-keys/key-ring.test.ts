import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint } from 'jose';
import { KeyRing } from '../../../../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { NOON } from '../../../../support/auth.ts';

const MINUTE = 60_000;

describe('A rotation', () => {
  const old = newKey();
  const next = newKey(NOON + 75 * MINUTE);
  const ring = new KeyRing([old, next]);
  const TIMELINE = [
    ['at once', 0, old, [old, next]],
    ['a moment before the new key signs', 75 * MINUTE - 1, old, [old, next]],
    ['when the new key signs', 75 * MINUTE, next, [old, next]],
    ['a moment before the old key is dropped', 110 * MINUTE - 1, next, [old, next]],
    ['when the old key is dropped', 110 * MINUTE, next, [next]],
    ['years later', 1e6 * MINUTE, next, [next]],
  ] as const;

  it.each(TIMELINE)(
    '%s: signs with the current key and publishes the right ones',
    (_name, after, signer, published) => {
      const now = NOON + after;
      expect(ring.current(now).kid).toBe(signer.kid);
      expect(ring.published(now).map(({ kid }) => kid)).toEqual(published.map(({ kid }) => kid));
      for (const { kid } of [old, next]) {
        expect(ring.publicKey(kid, now) !== undefined).toBe(published.some((key) => key.kid === kid));
      }
    },
  );
});

describe('A ring of keys', () => {
  it('shows only public fields, under the RFC 7638 thumbprint', async () => {
    const [jwk] = new KeyRing([newKey()]).published(NOON);
    expect(Object.keys(jwk ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(jwk).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(jwk?.kid).toBe(await calculateJwkThumbprint({ ...jwk }));
  });

  it('signs with its first key while the clock is before all of them', () => {
    const first = newKey(NOON);
    const ring = new KeyRing([newKey(NOON + MINUTE), first]);
    expect(ring.current(NOON - MINUTE).kid).toBe(first.kid);
  });

  it('prefers the later of two keys with the same start', () => {
    const [a, b] = [newKey(), newKey()];
    expect(new KeyRing([a, b]).current(NOON).kid).toBe(b.kid);
  });

  it('contains no other key', () => {
    expect(new KeyRing([newKey()]).publicKey('other', NOON)).toBeUndefined();
  });
});
