import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { PublicJwk, SigningKey, SigningKeys } from '../../signing-keys.port.ts';

/**
 * How long a key stays published after its successor has begun to sign, in ms: the life of its last token and a margin.
 */
const PUBLISHED_MS = 35 * 60_000;

/** A private P-256 key and the moment (ms since the epoch) from which it signs; -Infinity: ever since. */
export interface DatedKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly signsFrom: number;
}

/** A key of the ring without its private half; moments in ms since the epoch, Infinity for good. */
export interface RingEntry {
  readonly kid: string;
  readonly signsFrom: number;
  readonly publishedUntil: number;
  readonly state: 'waiting' | 'signing' | 'published' | 'dropped';
}

interface RingKey extends SigningKey {
  readonly publicKey: KeyObject;
  readonly jwk: PublicJwk;
  readonly signsFrom: number;
  readonly publishedUntil: number;
}

/**
 * Signing keys on a time line: all are published from the start, each signs from its own moment until the next one
 * does.
 */
export class KeyRing implements SigningKeys {
  readonly #keys: readonly RingKey[];

  /** @param keys at least one. Of two with the same moment the later one wins. */
  constructor(keys: readonly DatedKey[]) {
    const ordered = [...keys].sort((a, b) => (a.signsFrom === b.signsFrom ? 0 : a.signsFrom - b.signsFrom));
    this.#keys = ordered.map(({ privateKey, signsFrom }, index) => {
      const publicKey = createPublicKey(privateKey);
      const jwk = publicJwk(publicKey);
      const publishedUntil = (ordered[index + 1]?.signsFrom ?? Number.POSITIVE_INFINITY) + PUBLISHED_MS;
      return { kid: jwk.kid, privateKey, publicKey, jwk, signsFrom, publishedUntil };
    });
  }

  /** The newest key whose moment has come; the first one while the clock is before all of them. */
  current(now: number): SigningKey {
    const signer = this.#keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.#keys[0];
    if (!signer) throw new Error('a key ring without a key');
    return signer;
  }

  published(now: number): readonly PublicJwk[] {
    return this.#keys.filter((key) => this.#isPublished(key, now)).map(({ jwk }) => jwk);
  }

  publicKey(kid: string, now: number): KeyObject | undefined {
    const key = this.#keys.find((key) => key.kid === kid && this.#isPublished(key, now));
    return key?.publicKey;
  }

  problem(): undefined {
    return undefined;
  }

  /** Every key in the order in which they sign, with what it does at `now`. */
  entries(now: number): RingEntry[] {
    const signer = this.current(now).kid;
    return this.#keys.map((key) => {
      const { kid, signsFrom, publishedUntil } = key;
      const idle = this.#isPublished(key, now) ? 'published' : 'dropped';
      return { kid, signsFrom, publishedUntil, state: kid === signer ? 'signing' : signsFrom > now ? 'waiting' : idle };
    });
  }

  #isPublished(key: RingKey, now: number): boolean {
    return now < key.publishedUntil;
  }
}

/** The public half as published in the JWKS, with its RFC 7638 thumbprint as key id. */
export function publicJwk(publicKey: KeyObject): PublicJwk {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const thumbprint = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
}
