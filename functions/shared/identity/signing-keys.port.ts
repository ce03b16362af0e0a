import type { KeyObject } from 'node:crypto';

/** A public ES256 key as the JWKS shows it (RFC 7517, RFC 7518 section 6.2); never a private field. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  /** RFC 7638 thumbprint (SHA-256, base64url). */
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** The ES256 keys: one signs, and every key whose tokens may still live is published. */
export interface SigningKeys {
  /** The key that signs at `now` (ms since the epoch). */
  current(now: number): SigningKey;
  /** The published keys at `now`, the signing one among them. */
  published(now: number): readonly PublicJwk[];
  /** The public key with this id if it is published at `now`. */
  publicKey(kid: string, now: number): KeyObject | undefined;
  /** Why the key file cannot be read at the moment (the last good keys stay in use), or undefined. */
  problem(): string | undefined;
}
