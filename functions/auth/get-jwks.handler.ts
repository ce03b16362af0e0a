import { signingKeys } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { clock } from '../shared/ports.ts';
import { Jwks } from './auth.schema.ts';

/** GET /.well-known/jwks.json: the public keys that verify the service's tokens. Public. */
export const handler = endpoint({
  access: 'public',
  perRobot: true,
  summary: 'The public keys that verify tokens (JWKS)',
  output: Jwks,
  uses: { signingKeys, clock },
}).handler((_call, { signingKeys, clock }) =>
  Reply.json({ keys: signingKeys.published(clock()) }, { 'cache-control': 'public, max-age=300' }),
);
