import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { arrivalStamp } from './fence.ts';

/** The content of an echoed stamp. */
export interface Echo {
  /** How long ago it was issued. */
  readonly ageMs: number;
  /** When (`arrivalStamp`) it was issued. */
  readonly issuedAt: number;
}

/** Two numbers of 48 bits. */
const NUMBERS_BYTES = 12;
const SIGNATURE_BYTES = 12;

/**
 * Stamps that clients echo. A frame with a recent stamp was sent after the stamp was issued, so it was not delayed in a
 * buffer. Stamps are signed rather than stored, so that many clients cannot fill the memory; each is only valid for its
 * client and in this process.
 */
export class JogStamps {
  readonly #key = randomBytes(32);
  readonly #monotonic: () => number;

  /** @param monotonic the current time in ms of a monotonic clock. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  issue(clientId: string): string {
    const numbers = Buffer.alloc(NUMBERS_BYTES);
    numbers.writeUIntBE(this.#now(), 0, 6);
    numbers.writeUIntBE(arrivalStamp(), 6, 6);
    return Buffer.concat([numbers, this.#sign(numbers, clientId)]).toString('base64url');
  }

  /** Verifies and reads a stamp; undefined if this process did not issue it for this client. */
  read(stamp: string | null | undefined, clientId: string): Echo | undefined {
    const bytes = Buffer.from(stamp ?? '', 'base64url');
    if (bytes.length !== NUMBERS_BYTES + SIGNATURE_BYTES) return undefined;
    const numbers = bytes.subarray(0, NUMBERS_BYTES);
    if (!timingSafeEqual(bytes.subarray(NUMBERS_BYTES), this.#sign(numbers, clientId))) return undefined;
    return { ageMs: this.#now() - numbers.readUIntBE(0, 6), issuedAt: numbers.readUIntBE(6, 6) };
  }

  #now(): number {
    return Math.floor(this.#monotonic());
  }

  #sign(numbers: Buffer, clientId: string): Buffer {
    return createHmac('sha256', this.#key).update(numbers).update(clientId).digest().subarray(0, SIGNATURE_BYTES);
  }
}
