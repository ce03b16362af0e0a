import { decodeJwt } from 'jose';
import type { Caller } from '../access.ts';
import type { Tokens } from './tokens.ts';

/** How often a token is verified again, in ms. */
const CHECK_MS = 1_000;

/** The token of a stream, verified again while the stream is open. */
export class StreamToken {
  readonly caller: Caller;
  /** ms since the epoch. */
  readonly expiresAt: number;
  readonly #tokens: Tokens;
  readonly #token: string;

  private constructor(tokens: Tokens, token: string, caller: Caller) {
    this.#tokens = tokens;
    this.#token = token;
    this.caller = caller;
    this.expiresAt = (decodeJwt(token).exp ?? 0) * 1000; // its signature was verified with the caller
  }

  /** @throws ServiceError `token_invalid`, `token_expired`, `key_revoked`. */
  static async accept(tokens: Tokens, token: string): Promise<StreamToken> {
    return new StreamToken(tokens, token, await tokens.verify(token, 'stream'));
  }

  /** Verifies that the stream may continue. @throws as {@link accept}. */
  async check(): Promise<void> {
    await this.#tokens.verify(this.#token, 'stream');
  }

  /** The same, synchronously; slow parts of the verification are left to {@link check}. */
  checkNow(): void {
    const verified = this.#tokens.verify(this.#token, 'stream');
    if (verified instanceof Promise) verified.catch(() => undefined);
  }

  /** Calls `onEnd` within two seconds of its expiry or revocation. @returns a function that ends the watch. */
  watch(onEnd: (reason: Error) => void): () => void {
    const timer = setInterval(() => {
      this.check().catch((reason: Error) => {
        clearInterval(timer);
        onEnd(reason);
      });
    }, CHECK_MS).unref();
    return () => clearInterval(timer);
  }
}
