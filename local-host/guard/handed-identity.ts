import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Caller } from '../../functions/shared/access.ts';
import type { Config } from '../../functions/shared/config.ts';
import { ServiceError, unavailable } from '../../functions/shared/errors.ts';
import { TokenCache } from '../../functions/shared/identity/cache.ts';
import { Claims } from '../../functions/shared/identity/claims.ts';
import { invalidToken } from '../../functions/shared/identity/invalid-token.ts';
import { stillGood, type TokenWorld } from '../../functions/shared/identity/judge.ts';
import { assertTokenShape, verifiedToken } from '../../functions/shared/identity/token-shape.ts';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { replaceFile } from '../../functions/shared/kit/files/replace-file.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { Identity } from './messages.ts';

const MAX_TOKENS = 1_000;

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: () => number;
  /** File in memory in which it outlives the guard. */
  readonly path: string;
}

/**
 * Judges tokens for a stop by what the service has handed over, which stays good when the service is gone. Signatures
 * are checked in the calling thread: those of Node's pool may all be waiting for something.
 */
export class HandedIdentity {
  readonly #parts: Parts;
  readonly #tokens = new TokenCache(MAX_TOKENS);
  #world: TokenWorld | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    try {
      this.#use(JSON.parse(readFileSync(parts.path, 'utf8')));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') parts.logger.warn({ err: error }, 'cannot read what the guard knew of tokens');
    }
  }

  /** From now on this counts; also for the guard that follows this one. */
  take(identity: Identity): void {
    const { path, logger } = this.#parts;
    this.#use(identity);
    try {
      replaceFile(path, JSON.stringify(identity));
    } catch (error) {
      logger.warn({ err: error }, 'cannot keep what the guard judges tokens by');
    }
  }

  /**
   * Whom a token speaks for.
   * @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`; `component_unavailable` while the service has
   * handed over nothing yet.
   */
  verify(token: string): Caller {
    const { clock } = this.#parts;
    if (!this.#world) throw unavailable('guard', 'It has not heard from the service yet. Use the Unix socket.');
    const now = clock();
    let known = this.#tokens.get(token);
    if (!known) {
      known = this.#verifySignature(this.#world, token, now);
      this.#tokens.remember(token, known, now / 1000);
    }
    return stillGood(this.#world, known, now, 'stop');
  }

  #use({ keys, api_keys, socket_generation }: Identity): void {
    const publicKeys = new Map<string, KeyObject>();
    for (const jwk of keys) publicKeys.set(jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' }));
    const records = new Map(api_keys.map((key) => [key.id, key]));
    this.#world = {
      config: this.#parts.config,
      signingKeys: { publicKey: (kid) => publicKeys.get(kid) },
      keyStore: {
        findById(id) {
          const key = records.get(id);
          if (!key) return undefined;
          const { level, revoked, robots, expires_at } = key;
          return {
            level,
            revoked_at: revoked ? '' : null,
            ...(robots && { robots }),
            ...(expires_at !== undefined && { expires_at }),
          };
        },
      },
      // A logout ends no stop.
      revocations: { isLoggedOut: () => false, socketGeneration: () => socket_generation },
    };
  }

  #verifySignature({ config, signingKeys }: TokenWorld, token: string, now: number) {
    assertTokenShape(token);
    const [head = '', payload = '', signature = ''] = token.split('.');
    try {
      const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString('utf8'));
      const key = typeof kid === 'string' ? signingKeys.publicKey(kid, now) : undefined;
      if (alg !== 'ES256' || key === undefined) throw invalidToken('It was signed with a key that is not in use.');
      const signed = Buffer.from(`${head}.${payload}`);
      const bytes = Buffer.from(signature, 'base64url');
      if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes)) throw invalidToken('It was changed.');
      const claims = Claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
      return verifiedToken(config, kid, claims);
    } catch (error) {
      throw error instanceof ServiceError ? error : invalidToken('It is not a token of this service.', error);
    }
  }
}
