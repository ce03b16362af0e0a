import { keyStore, revocations } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { clock } from '../shared/ports.ts';
import { PairingCode, PairingRequest } from './pairing.schema.ts';
import { issueCode } from './pairing.ts';
import { pairingCodes } from './ports.ts';

/** POST /api/v2/auth/pairing: a code by which another device gets a token, within a minute. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Create a pairing code',
  description:
    'Good once and for 60 s; a fifth open code ends the oldest. The token that it is traded for has a client id of its own, the key and the session of the caller, and at most its level. Over the Unix socket `key` may name the API key it is bound to; without it, it can only be refreshed over the socket.',
  input: { body: PairingRequest },
  bodyOptional: true,
  output: PairingCode,
  audit: 'pairing.create',
  uses: { keyStore, revocations, pairingCodes, clock },
  errors: ['insufficient_access'],
}).handler(({ valid: { body = {} }, caller, listener, record }, ports) => {
  record('pairing.create', { level: body.level ?? 'USER', key: body.key ?? null });
  return Reply.json(issueCode(body, caller, listener, ports), { 'cache-control': 'no-store' });
});
