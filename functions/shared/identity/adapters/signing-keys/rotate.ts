import { fstatSync, readFileSync } from 'node:fs';
import { BUILT_AT } from '../../../build-info.ts';
import { replaceFile } from '../../../kit/files/replace-file.ts';
import { FileFault, faultOf } from '../../../kit/files/watched-file.ts';
import { withFile } from '../../../kit/files/with-file.ts';
import { withLock } from '../../../kit/files/with-lock.ts';
import { createKeyFile, keysOf } from './file.ts';
import { KeyRing, type RingEntry } from './key-ring.ts';
import { formatPem, newKey, type PemKey } from './pem.ts';

/**
 * How long a new key is published before it signs, in ms: stream servers keep the public keys they know for an hour.
 */
const PUBLISHED_AHEAD_MS = 75 * 60_000;

/**
 * Publishes a new key now that signs in 75 minutes; the present one stays published until 35 minutes after that. Keys
 * that are published no more leave the file.
 * @returns the keys of the file, the new one last.
 * @throws FileFault while the key of an earlier rotation still waits, and while the clock is wrong for sure: set right,
 * it would jump over the whole rotation.
 */
export async function rotate(path: string, now: number): Promise<RingEntry[]> {
  if (now < BUILT_AT) throw new FileFault('the clock is before the build date of this program; set it first');
  createKeyFile(path);
  return withLock(path, () => {
    const keys = readKeys(path);
    const entries = new KeyRing(keys).entries(now);
    const waiting = entries.find(({ state }) => state === 'waiting');
    if (waiting) throw new FileFault(stillWaiting(waiting));
    const dropped = new Set(entries.filter(({ state }) => state === 'dropped').map(({ kid }) => kid));
    return store(path, [...keys.filter(({ kid }) => !dropped.has(kid)), newKey(now + PUBLISHED_AHEAD_MS)], now);
  });
}

/**
 * Replaces whatever the file holds by one new key that signs at once: all tokens signed so far die. Mends a file that
 * cannot be used, too.
 */
export function rotateNow(path: string, now: number): Promise<RingEntry[]> {
  return withLock(path, () => store(path, [newKey()], now));
}

/** The keys of the file in the order in which they sign. @throws FileFault */
export function showKeys(path: string, now: number): RingEntry[] {
  return new KeyRing(readKeys(path)).entries(now);
}

function store(path: string, keys: readonly PemKey[], now: number): RingEntry[] {
  replaceFile(path, formatPem(keys));
  return new KeyRing(keys).entries(now);
}

function readKeys(path: string): PemKey[] {
  try {
    return withFile(path, 'r', (file) => keysOf({ mode: fstatSync(file).mode, text: readFileSync(file, 'utf8') }));
  } catch (error) {
    throw faultOf(error);
  }
}

function stillWaiting({ kid, signsFrom }: RingEntry): string {
  const moment = new Date(signsFrom).toISOString();
  return `key ${kid} of an earlier rotation waits to sign from ${moment}; a leaked key is replaced at once with --now`;
}
