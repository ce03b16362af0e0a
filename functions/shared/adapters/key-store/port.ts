import type { AccessLevel } from '../../access.ts';

/** An API key as it is kept: of the secret only the SHA-256. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly level: AccessLevel;
  /** Lower-case hex SHA-256 of the whole secret, prefix included. */
  readonly sha256: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** When present, the key opens these robots only. */
  readonly robots?: readonly string[];
}

/** The API keys this service knows. Reads never block on a writer and follow a change within a second. */
export interface KeyStore {
  /** The unrevoked key with this secret, compared in constant time, or undefined. */
  findBySecret(secret: string): ApiKeyRecord | undefined;
  /** The key with this id, revoked or not, or undefined. */
  findById(id: string): ApiKeyRecord | undefined;
  /** Why the store cannot be read at the moment (the last good set stays in use), or undefined. */
  problem(): string | undefined;
}
