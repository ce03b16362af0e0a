import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { FileFault } from '../../../kit/files/watched-file.ts';
import { messagesFor } from '../../../pipeline/issue-messages.ts';
import { ApiKeyRecord } from '../../api-key-record.schema.ts';
import type { KeyStore } from '../../key-store.port.ts';

/** What `api-keys.json` and SERVICE_API_KEYS hold. */
const KeyFile = z
  .strictObject({ keys: z.array(ApiKeyRecord) })
  .refine(({ keys }) => new Set(keys.map(({ id }) => id)).size === keys.length, {
    path: ['keys'],
    error: 'two keys have the same id',
  });

/** @throws FileFault naming the place of the first fault, never its value. */
export function parseRecords(text: string): readonly ApiKeyRecord[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FileFault('it is not valid JSON', { cause: error });
  }
  const parsed = KeyFile.safeParse(json, messagesFor('document'));
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  throw new FileFault(`it does not hold API keys as {"keys":[…]}: ${issue?.path.join('.')}: ${issue?.message}`);
}

export function formatRecords(keys: readonly ApiKeyRecord[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`;
}

/** As {@link formatRecords}, in fewer bytes. */
export function compactRecords(keys: readonly ApiKeyRecord[]): string {
  return JSON.stringify({ keys });
}

/** The SHA-256 of a key's secret, all that is ever kept of it. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A set of keys, made for looking things up. */
export class KeySet implements KeyStore {
  readonly #byId: ReadonlyMap<string, ApiKeyRecord>;
  readonly #valid: ReadonlyArray<readonly [digest: Buffer, record: ApiKeyRecord]>;

  constructor(records: readonly ApiKeyRecord[]) {
    this.#byId = new Map(records.map((record) => [record.id, record]));
    this.#valid = records
      .filter(({ revoked_at }) => revoked_at === null)
      .map((record) => [Buffer.from(record.sha256, 'hex'), record]);
  }

  list(): readonly ApiKeyRecord[] {
    return [...this.#byId.values()];
  }

  /** Compares with every key, so that the time it takes says nothing about any of them. */
  findBySecret(secret: string): ApiKeyRecord | undefined {
    const digest = digestOf(secret);
    let found: ApiKeyRecord | undefined;
    for (const [candidate, record] of this.#valid) if (timingSafeEqual(candidate, digest)) found = record;
    return found;
  }

  findById(id: string): ApiKeyRecord | undefined {
    return this.#byId.get(id);
  }

  problem(): undefined {
    return undefined;
  }
}
