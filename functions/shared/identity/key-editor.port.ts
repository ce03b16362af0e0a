import type { AccessLevel } from '../access.ts';
import type { ApiKeyRecord } from './key-store.port.ts';

export interface NewKey {
  readonly name: string;
  readonly level: AccessLevel;
  /** The robots it opens; all when absent. */
  readonly robots?: readonly string[];
  /** RFC 3339; never when absent. */
  readonly expires_at?: string;
}

export interface CreatedKey {
  /** The secret. It is known here and now and never again. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

/** Throws when this key, of all of these, must stay. */
export type MayRevoke = (record: ApiKeyRecord, records: readonly ApiKeyRecord[]) => void;

/**
 * Changes the API keys, under the lock that the command line takes as well. What it has done counts at once.
 * @throws ServiceError `component_unavailable` where the keys come from the environment, or their file is broken or
 * locked; `storage_full`. Nothing is changed then.
 */
export interface KeyEditor {
  create(wanted: NewKey): Promise<CreatedKey>;
  /** Revokes a key, which needs no room on the disk. @returns its record, undefined when no key has this id. */
  revoke(id: string, assertAllowed: MayRevoke): Promise<ApiKeyRecord | undefined>;
}
