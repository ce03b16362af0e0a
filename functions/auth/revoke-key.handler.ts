import { ENCHANTERS } from '../shared/access.ts';
import { keyEditor, keyUse } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { ApiKey, KeyPath, RevokeQuery } from './key.schema.ts';
import { revokeKey } from './keys.ts';

/** DELETE /api/v2/keys/{key_id}: revokes an API key, and with it every token it gave. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'Revoke an API key',
  description:
    'Its tokens end at once. The last ENCHANTER key without limits, and the key of the caller, need `?confirm=true`: otherwise 409 `conflict`. Works on a full disk.',
  input: { path: KeyPath, query: RevokeQuery },
  output: ApiKey,
  audit: 'key.revoke',
  uses: { keyEditor, keyUse },
  errors: ['not_found', 'conflict', 'storage_full', 'component_unavailable'],
}).handler(({ valid: { path, query }, caller, record }, ports) => {
  record('key.revoke', { id: path.key_id.slice(0, 24), confirm: query.confirm });
  return revokeKey({ id: path.key_id, confirmed: query.confirm, caller }, ports);
});
