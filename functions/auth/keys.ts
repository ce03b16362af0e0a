import { type Caller, isAbove } from '../shared/access.ts';
import { ServiceError } from '../shared/errors.ts';
import { endOf } from '../shared/identity/api-key-record.schema.ts';
import type { KeyEditor, NewKey } from '../shared/identity/key-editor.port.ts';
import type { ApiKeyRecord, KeyStore } from '../shared/identity/key-store.port.ts';
import type { KeyUse } from '../shared/identity/key-use.port.ts';
import { invalid } from '../shared/pipeline/parse-input.ts';
import type { ApiKeyRequest } from './key.schema.ts';

/** A key as people may see it: without its hash. */
export function shown({ sha256: _hidden, ...record }: ApiKeyRecord, uses: Pick<KeyUse, 'lastUsedAt'>) {
  return { ...record, last_used_at: uses.lastUsedAt(record.id) };
}

interface EditorPorts {
  readonly keyEditor: KeyEditor;
  readonly keyUse: Pick<KeyUse, 'lastUsedAt'>;
}

interface MakerPorts extends EditorPorts {
  readonly keyStore: Pick<KeyStore, 'findById'>;
  readonly clock: () => number;
}

/**
 * Makes a key that reaches no further than the caller's own. Errors: insufficient_access, validation_failed (it would
 * have ended already), storage_full, component_unavailable.
 */
export async function createKey(
  wanted: ApiKeyRequest,
  caller: Caller,
  { keyStore, keyEditor, keyUse, clock }: MakerPorts,
) {
  if (wanted.expires_at !== undefined && Date.parse(wanted.expires_at) <= clock()) {
    throw invalid([{ pointer: '/expires_at', message: 'Must be in the future.' }]);
  }
  assertReachesNoFurther(wanted, caller, keyStore.findById(caller.keyId));
  const { key, record } = await keyEditor.create(wanted);
  return { ...shown(record, keyUse), key };
}

/** @param own the key of the caller; undefined for the Unix socket, which is limited by its level alone. */
function assertReachesNoFurther(wanted: NewKey, { accessLevel }: Caller, own: ApiKeyRecord | undefined): void {
  if (isAbove(wanted.level, accessLevel)) throw tooFar(`has the level ${accessLevel}`);
  if (own?.robots && !wanted.robots?.every((id) => own.robots?.includes(id))) {
    throw tooFar(`is limited to the robots ${own.robots.join(', ')}`);
  }
  if (own?.expires_at !== undefined && endOf(wanted) > endOf(own)) throw tooFar(`ends at ${own.expires_at}`);
}

function tooFar(limit: string): ServiceError {
  return new ServiceError('insufficient_access', {
    detail: `A new key reaches no further than the one of its maker, which ${limit}. Ask for as much or less.`,
  });
}

interface Revocation {
  readonly id: string;
  readonly confirmed: boolean;
  readonly caller: Caller;
}

/** Revokes a key, whose tokens end with it. Errors: not_found, conflict (to be confirmed), component_unavailable. */
export async function revokeKey({ id, confirmed, caller }: Revocation, { keyEditor, keyUse }: EditorPorts) {
  const revoked = await keyEditor.revoke(id, (record, records) => {
    if (confirmed) return;
    if (record.id === caller.keyId) throw toConfirm('This is the key behind your own token, which ends with it.');
    if (isUnlimited(record) && records.filter(isUnlimited).length === 1) {
      throw toConfirm('This is the last ENCHANTER key without limits: then keys can only be made on the robot itself.');
    }
  });
  if (revoked) return shown(revoked, keyUse);
  throw new ServiceError('not_found', { detail: 'No key has this id. GET /api/v2/keys/ lists them.' });
}

/** Whether a key opens everything, for good. */
function isUnlimited({ level, revoked_at, robots, expires_at }: ApiKeyRecord): boolean {
  return level === 'ENCHANTER' && revoked_at === null && robots === undefined && expires_at === undefined;
}

function toConfirm(why: string): ServiceError {
  return new ServiceError('conflict', {
    detail: `${why} Nothing was changed; add ?confirm=true to revoke it all the same.`,
  });
}
