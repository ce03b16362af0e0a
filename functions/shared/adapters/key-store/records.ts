import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { ACCESS_LEVELS } from '../../access.ts';
import { FileFault } from '../files/watched-file.ts';
import type { ApiKeyRecord, KeyStore } from './port.ts';

const ROBOT_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** One API key as it is kept. The id is short, since it travels in every token. */
const Record = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,24}$/, '1 to 24 of A-Z a-z 0-9 _ -')
    .refine((id) => id !== 'local', '"local" stands for the Unix socket'),
  name: z.string().min(1).max(100),
  level: z.enum(ACCESS_LEVELS),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 in lower-case hex'),
  created_at: z.iso.datetime({ offset: true }),
  revoked_at: z.iso.datetime({ offset: true }).nullable(),
  robots: z.array(z.string().regex(ROBOT_ID, 'robot ids')).min(1).exactOptional(),
});

/** What `api-keys.json` and SERVICE_API_KEYS hold. */
const KeyFile = z
  .strictObject({ keys: z.array(Record) })
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
  const parsed = KeyFile.safeParse(json);
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  throw new FileFault(`it does not hold API keys as {"keys":[…]}: ${issue?.path.join('.')}: ${issue?.message}`);
}

export function formatRecords(keys: readonly ApiKeyRecord[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`;
}

/** The SHA-256 of a key's secret, all that is ever kept of it. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A set of keys, made for looking things up. */
export class KeySet implements Pick<KeyStore, 'findBySecret' | 'findById'> {
  readonly #byId: ReadonlyMap<string, ApiKeyRecord>;
  readonly #valid: ReadonlyArray<readonly [digest: Buffer, record: ApiKeyRecord]>;

  constructor(records: readonly ApiKeyRecord[]) {
    this.#byId = new Map(records.map((record) => [record.id, record]));
    this.#valid = records
      .filter(({ revoked_at }) => revoked_at === null)
      .map((record) => [Buffer.from(record.sha256, 'hex'), record]);
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
}
