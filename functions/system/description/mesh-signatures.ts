import { sign, verify } from 'node:crypto';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { endOf } from '../../shared/identity/api-key-record.schema.ts';
import { LOCAL_KEY_ID } from '../../shared/identity/claims.ts';
import type { KeyStore } from '../../shared/identity/key-store.port.ts';
import type { Revocations } from '../../shared/identity/revocations.port.ts';
import type { SigningKeys } from '../../shared/identity/signing-keys.port.ts';

const LIFE_MS = 600_000;
const SEPARATOR = '.';
/** Time in base 36, id of the signing key, id of the API key, signature. */
const FORM = /^([0-9a-z]{6,10})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{86})$/;

interface SignatureParts {
  readonly config: Pick<Config, 'SERVICE_ROBOT_ID' | 'SERVICE_SOCKET_PATH'>;
  readonly clock: () => number;
  readonly signingKeys: SigningKeys;
  readonly keyStore: Pick<KeyStore, 'findById'>;
  readonly revocations: Pick<Revocations, 'socketGeneration'>;
}

/** What a signature vouches for, besides when it ends. */
interface Signed {
  readonly end: string;
  readonly keyId: string;
  readonly folder: string;
}

/**
 * Signatures in the URLs of meshes, for loaders that send no token. One opens the files of one folder for 10 minutes,
 * and ends earlier with the API key of whoever asked for it, or with the key that signed it.
 */
export class MeshSignatures {
  readonly #parts: SignatureParts;

  constructor(parts: SignatureParts) {
    this.#parts = parts;
  }

  /** A signature for the files in the first folder of `path`; of a file without one, for those beside it. */
  sign(path: string, keyId: string): string {
    const now = this.#parts.clock();
    const end = (now + LIFE_MS).toString(36);
    const { kid, privateKey } = this.#parts.signingKeys.current(now);
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', this.#text({ end, keyId, folder: firstFolder(path) }), key).toString('base64url');
    return [end, kid, keyId, signature].join(SEPARATOR);
  }

  /** Signs each folder once, so that clients fetch only once what several meshes of it share. See {@link sign}. */
  signer(keyId: string): (path: string) => string {
    const signatures = new Map<string, string>();
    return (path) => {
      const folder = firstFolder(path);
      const signature = signatures.get(folder) ?? this.sign(path, keyId);
      signatures.set(folder, signature);
      return signature;
    };
  }

  /** @throws ServiceError `token_invalid`, `token_expired`, `key_revoked` where the signature does not open this path. */
  assertValid(signature: string, path: string): void {
    const now = this.#parts.clock();
    const [, end, kid, keyId, bytes] = FORM.exec(signature) ?? [];
    if (!end || !kid || !keyId || !bytes) throw invalid();
    const publicKey = this.#parts.signingKeys.publicKey(kid, now);
    if (!publicKey) throw invalid();
    const text = this.#text({ end, keyId, folder: firstFolder(path) });
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', text, key, Buffer.from(bytes, 'base64url'))) throw invalid();
    if (now >= Number.parseInt(end, 36)) throw ended('token_expired', 'The 10 minutes of this signed URL are over.');
    if (!this.#isGood(keyId, now)) throw ended('key_revoked', 'The API key behind this signed URL was revoked.');
  }

  #isGood(keyId: string, now: number): boolean {
    const { config, keyStore } = this.#parts;
    if (keyId === LOCAL_KEY_ID) return config.SERVICE_SOCKET_PATH !== '';
    const key = keyStore.findById(keyId);
    if (!key || key.revoked_at !== null || now >= endOf(key)) return false;
    return key.robots?.includes(config.SERVICE_ROBOT_ID) !== false;
  }

  /**
   * What is signed. No token begins like this, so that neither can be taken for the other. A revocation of the socket's
   * tokens changes it for callers over the socket.
   */
  #text({ end, keyId, folder }: Signed): Buffer {
    const { config, revocations } = this.#parts;
    const generation = keyId === LOCAL_KEY_ID ? revocations.socketGeneration() : '';
    return Buffer.from(['robot-rest mesh URL', config.SERVICE_ROBOT_ID, end, keyId, generation, folder].join('\n'));
  }
}

function firstFolder(path: string): string {
  const [first = '', ...others] = path.split('/');
  return others.length > 0 ? first : '';
}

function invalid(): ServiceError {
  return ended('token_invalid', 'The signature in this URL is not valid for this file.');
}

function ended(code: 'token_invalid' | 'token_expired' | 'key_revoked', why: string): ServiceError {
  return new ServiceError(code, {
    detail: `${why} Get new ones from GET /api/v2/urdf/{filename}?signed=true, or send a token.`,
  });
}
