import type { ApiKeyRecord } from './api-key-record.schema.ts';

export type { ApiKeyRecord } from './api-key-record.schema.ts';

/** The API keys this service knows. Reads never block on a writer and follow a change within a second. */
export interface KeyStore {
  /** Every key, revoked ones too. */
  list(): readonly ApiKeyRecord[];
  /** The unrevoked key with this secret, compared in constant time, or undefined. */
  findBySecret(secret: string): ApiKeyRecord | undefined;
  /** The key with this id, revoked or not, or undefined. */
  findById(id: string): ApiKeyRecord | undefined;
  /** Why the store cannot be read at the moment (the last good set stays in use), or undefined. */
  problem(): string | undefined;
}
