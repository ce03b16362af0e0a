import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { FileFault } from '../../../kit/files/watched-file.ts';
import { type DatedKey, publicJwk } from './key-ring.ts';

/** A key with the PEM text it was read from or is kept as. */
export interface PemKey extends DatedKey {
  readonly pem: string;
}

const BLOCK = /-----BEGIN ((?:EC )?PRIVATE KEY)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;
const BEGIN = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g;
const SIGNS_FROM = /^Signs-From:(.*)$/m;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The private keys in a PEM text, in its order. As RFC 7468 (section 2) allows, text may precede a block; a line
 * `Signs-From: <RFC 3339>` there says from when that key signs.
 * @throws FileFault when a block is no P-256 private key, is cut off, or there is none.
 */
export function parsePem(text: string): PemKey[] {
  const keys: PemKey[] = [];
  let end = 0;
  for (const block of text.matchAll(BLOCK)) {
    const [pem] = block;
    keys.push(pemKey(pem, privateKeyOf(pem), signsFromOf(text.slice(end, block.index))));
    end = block.index + pem.length;
  }
  if (text.trim() === '') throw new FileFault('it is empty');
  if (keys.length < (text.match(BEGIN) ?? []).length)
    throw new FileFault('it holds a private key that is cut off or encrypted');
  if (keys.length === 0) throw new FileFault('it holds no private key in PEM form');
  return keys;
}

/** The text {@link parsePem} reads back to the same keys. */
export function formatPem(keys: readonly PemKey[]): string {
  return keys
    .map(
      ({ pem, signsFrom }) =>
        `${Number.isFinite(signsFrom) ? `Signs-From: ${new Date(signsFrom).toISOString()}\n` : ''}${pem}\n`,
    )
    .join('');
}

/** A new P-256 key. */
export function newKey(signsFrom = Number.NEGATIVE_INFINITY): PemKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return pemKey(String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim(), privateKey, signsFrom);
}

function pemKey(pem: string, privateKey: KeyObject, signsFrom: number): PemKey {
  return { pem, privateKey, signsFrom, kid: publicJwk(createPublicKey(privateKey)).kid };
}

function privateKeyOf(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new FileFault('it holds a private key that is damaged', { cause: error });
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new FileFault('it holds a private key of another kind than P-256, the only one ES256 can use');
  }
  return key;
}

function signsFromOf(text: string): number {
  const moment = SIGNS_FROM.exec(text)?.[1]?.trim();
  if (moment === undefined) return Number.NEGATIVE_INFINITY;
  const signsFrom = MOMENT.test(moment) ? Date.parse(moment) : Number.NaN;
  if (Number.isNaN(signsFrom)) throw new FileFault('it holds a Signs-From line that is no RFC 3339 moment');
  return signsFrom;
}
