import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { codeOf, isDiskFull } from '../../../kit/error-code.ts';
import { replaceFile } from '../../../kit/files/replace-file.ts';
import { hasSpare, keepSpare, replaceFromSpare } from '../../../kit/files/spare-file.ts';
import { withLock } from '../../../kit/files/with-lock.ts';
import type { CreatedKey, MayRevoke, NewKey } from '../../key-editor.port.ts';
import type { ApiKeyRecord } from '../../key-store.port.ts';
import { compactRecords, digestOf, formatRecords, parseRecords } from './records.ts';

/** The records of the key file; none when there is no file. @throws FileFault when it is broken, or a system error. */
export function listKeys(path: string): readonly ApiKeyRecord[] {
  try {
    return parseRecords(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Makes a key and keeps its record. @throws FileFault when the file, which then stays as it is, is broken. */
export function createKey(path: string, wanted: NewKey): Promise<CreatedKey> {
  return withLock(path, () => {
    const records = listKeys(path);
    const created = newKey(wanted);
    store(path, [...records, created.record]);
    return created;
  });
}

/**
 * Revokes a key; one that is revoked already stays as it is. Needs no room on the disk.
 * @param assertAllowed is shown the key and all others while nobody else can change them, and throws to keep it.
 * @returns its record, or undefined when no key has this id.
 */
export function revokeKey(path: string, id: string, assertAllowed?: MayRevoke): Promise<ApiKeyRecord | undefined> {
  return withLock(path, () => {
    const records = listKeys(path);
    const record = records.find((record) => record.id === id);
    if (!record || record.revoked_at !== null) return record;
    assertAllowed?.(record, records);
    const revoked = { ...record, revoked_at: new Date().toISOString() };
    storeAnyhow(
      path,
      records.map((other) => (other.id === id ? revoked : other)),
    );
    return revoked;
  });
}

/**
 * Makes the first key when no record exists at all. Of several processes that start at once one makes it.
 * @param deliver hands the secret over before its record is kept: a process killed in between leaves a secret that
 * opens nothing, and the next start makes another, instead of a key that nobody knows.
 */
export async function createFirstKey(path: string, wanted: NewKey, deliver: (key: string) => void): Promise<void> {
  if (listKeys(path).length > 0) return;
  await withLock(path, () => {
    if (listKeys(path).length > 0) return;
    const { key, record } = newKey(wanted);
    deliver(key);
    store(path, [record]);
  });
}

/** 256 random bits; the prefix lets people and secret scanners know it for what it is. */
function newKey({ name, level, robots, expires_at }: NewKey): CreatedKey {
  const key = `rk_${randomBytes(32).toString('base64url')}`;
  const record = {
    id: randomBytes(6).toString('hex'),
    name,
    level,
    sha256: digestOf(key).toString('hex'),
    created_at: new Date().toISOString(),
    revoked_at: null,
    ...(robots === undefined ? {} : { robots }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
  return { key, record };
}

/** What would not be read back is not written. */
function store(path: string, records: readonly ApiKeyRecord[]): void {
  const text = formatRecords(records);
  parseRecords(text);
  replaceFile(path, text);
  keepSpareIfPossible(path);
}

/**
 * {@link store}, on a full disk too. Without the indentation, records fit into the spare when all of them are revoked.
 */
function storeAnyhow(path: string, records: readonly ApiKeyRecord[]): void {
  try {
    store(path, records);
  } catch (error) {
    if (!isDiskFull(error) || !replaceFromSpare(path, compactRecords(records))) throw error;
  }
}

function keepSpareIfPossible(path: string): void {
  try {
    keepSpare(path);
  } catch {
    // The disk is full: the key that is stored counts more.
  }
}

/** Makes the spare of a key file that an earlier release has written, where the disk takes one. */
export async function ensureSpare(path: string): Promise<void> {
  if (hasSpare(path)) return;
  await withLock(path, () => keepSpareIfPossible(path)).catch(() => undefined); // read-only, for instance
}
