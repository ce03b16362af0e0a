import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { PublicJwk, SigningKey } from './port.ts';

/** How long a key stays published after its successor has begun to sign, in ms: the life of its last token and a margin. */
const KEPT_MS = 35 * 60_000;

/** A private P-256 key and the moment (ms since the epoch) from which it signs; -Infinity: ever since. */
export interface DatedKey {
  readonly privateKey: KeyObject;
  readonly signsFrom: number;
}

interface RingKey extends SigningKey {
  readonly publicKey: KeyObject;
  readonly jwk: PublicJwk;
  readonly signsFrom: number;
  readonly publishedUntil: number;
}

/** Signing keys on a time line: all are published from the start, each signs from its own moment until the next one does. */
export class KeyRing {
  readonly #keys: readonly RingKey[];

  /** @param keys at least one. Of two with the same moment the later one wins. */
  constructor(keys: readonly DatedKey[]) {
    const ordered = [...keys].sort((a, b) => (a.signsFrom === b.signsFrom ? 0 : a.signsFrom - b.signsFrom));
    this.#keys = ordered.map(({ privateKey, signsFrom }, index) => {
      const publicKey = createPublicKey(privateKey);
      const jwk = publicJwk(publicKey);
      const publishedUntil = (ordered[index + 1]?.signsFrom ?? Number.POSITIVE_INFINITY) + KEPT_MS;
      return { kid: jwk.kid, privateKey, publicKey, jwk, signsFrom, publishedUntil };
    });
  }

  /** The newest key whose moment has come; the first one while the clock stands before all of them. */
  current(now: number): SigningKey & { readonly signsFrom: number } {
    const signer = this.#keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.#keys[0];
    if (!signer) throw new Error('a key ring without a key');
    return signer;
  }

  /** The key that waits for its moment, if any. */
  pending(now: number): (SigningKey & { readonly signsFrom: number }) | undefined {
    return this.#keys.findLast(({ kid, signsFrom }) => signsFrom > now && kid !== this.current(now).kid);
  }

  published(now: number): readonly PublicJwk[] {
    return this.#keys.filter((key) => this.#isPublished(key, now)).map(({ jwk }) => jwk);
  }

  publicKey(kid: string, now: number): KeyObject | undefined {
    const key = this.#keys.find((key) => key.kid === kid && this.#isPublished(key, now));
    return key?.publicKey;
  }

  /** When this key leaves the published set, in ms since the epoch; Infinity while it has no successor. */
  publishedUntil(kid: string): number | undefined {
    return this.#keys.findLast((key) => key.kid === kid)?.publishedUntil;
  }

  #isPublished(key: RingKey, now: number): boolean {
    return now < key.publishedUntil;
  }
}

/** The public half as it stands in the JWKS, with its RFC 7638 thumbprint as key id. */
export function publicJwk(publicKey: KeyObject): PublicJwk {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const thumbprint = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
}
