import { createHash, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { AccessLevel } from '../shared/access.ts';

/** Life of a code, in ms. */
export const CODE_MS = 60_000;
/** Open codes of one issuer; another one ends the oldest. */
const MAX_CODES_EACH = 4;
const CODE_BYTES = 16;

/** What a code is traded for. */
export interface Pairing {
  /** The key that the new token is bound to; `local` for the Unix socket. */
  readonly keyId: string;
  /** Level of that key; undefined for the Unix socket. */
  readonly keyLevel: AccessLevel | undefined;
  readonly accessLevel: AccessLevel;
  /** When the session of the issuer began, in seconds since the epoch. */
  readonly authTime: number;
  /** Client id of the issuer, and when its token was issued at the latest, in seconds since the epoch. */
  readonly issuer: string;
  readonly issuedAt: number;
  /** The generation of the socket's tokens at that time. */
  readonly socketGeneration: string;
}

interface OpenCode {
  readonly pairing: Pairing;
  readonly owner: string;
  readonly endsAt: number;
}

/** The codes that wait for the other device, by their hashes. They are forgotten with the process. */
export class PairingCodes {
  readonly #open = new Map<string, OpenCode>();
  /** In ms, on a clock that nobody sets. */
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A new code. @param owner whose share it takes: the key of the issuer. */
  issue(pairing: Pairing, owner: string): string {
    this.#dropEnded();
    const own = [...this.#open].filter(([, code]) => code.owner === owner);
    for (const [hash] of own.slice(0, Math.max(0, own.length - MAX_CODES_EACH + 1))) this.#open.delete(hash);
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.#open.set(hashOf(code), { pairing, owner, endsAt: this.#now() + CODE_MS });
    return code;
  }

  /** What the code is good for, this once; undefined for one that is wrong, used or over. */
  take(code: string): Pairing | undefined {
    const hash = hashOf(code);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    return found && this.#now() < found.endsAt ? found.pairing : undefined;
  }

  #dropEnded(): void {
    for (const [hash, { endsAt }] of this.#open) if (this.#now() >= endsAt) this.#open.delete(hash);
  }
}

/** Looked up by the hash, so that the time it takes says nothing of the code. */
function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
