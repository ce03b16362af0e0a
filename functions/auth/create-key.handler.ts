import { ENCHANTERS } from '../shared/access.ts';
import { keyEditor, keyStore, keyUse } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { clock } from '../shared/ports.ts';
import { ApiKeyRequest, CreatedApiKey } from './key.schema.ts';
import { createKey } from './keys.ts';

/** POST /api/v2/keys/: makes an API key, whose secret is in this answer alone. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'Create an API key',
  description:
    'It reaches no further than the key of the caller: neither in level nor in `robots` nor in time. `key` is its secret, shown this once. Needs TLS, or the Unix socket.',
  input: { body: ApiKeyRequest },
  output: CreatedApiKey,
  created: true,
  secretAnswer: true,
  audit: 'key.create',
  uses: { keyStore, keyEditor, keyUse, clock },
  errors: ['insufficient_access', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { body }, caller, record }, ports) => {
  const { name, level, robots, expires_at } = body;
  const subject = { name, level, robots: robots ? robots.slice(0, 32) : null, expires_at: expires_at ?? null };
  record('key.create', subject);
  const created = await createKey(body, caller, ports);
  record('key.create', { id: created.id, ...subject });
  return new Reply(JSON.stringify(created), { 'content-type': 'application/json', 'cache-control': 'no-store' }, 201);
});
