import { ENCHANTERS } from '../shared/access.ts';
import { keyStore, keyUse } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { ApiKeyList } from './key.schema.ts';
import { shown } from './keys.ts';

/** GET /api/v2/keys/: every API key, revoked ones too. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'List the API keys',
  description: 'Revoked ones too. Neither the secret of a key is known here, nor is its hash shown.',
  output: ApiKeyList,
  uses: { keyStore, keyUse },
}).handler((_call, { keyStore, keyUse }) => ({ keys: keyStore.list().map((record) => shown(record, keyUse)) }));
