import { apiKeyGate, keyStore, revocations, tokens } from '../shared/identity/ports.ts';
import { metrics } from '../shared/observability/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { clock, logger } from '../shared/ports.ts';
import { TokenAnswer } from './auth.schema.ts';
import { PairRequest } from './pairing.schema.ts';
import { pair } from './pairing.ts';
import { pairingCodes } from './ports.ts';
import { tokenReply } from './token-reply.ts';

/** POST /api/v2/auth/pair: trades a pairing code for a token. Public: the code is the proof. */
export const handler = endpoint({
  access: 'public',
  summary: 'Exchange a pairing code for a token',
  description:
    'Wrong codes count together with wrong API keys: five a minute from one address, then 429. A right code is never refused for them.',
  input: { body: PairRequest },
  output: TokenAnswer,
  audit: 'pairing.trade',
  uses: { apiKeyGate, keyStore, revocations, tokens, pairingCodes, metrics, clock, logger },
  errors: ['pairing_code_invalid', 'rate_limited'],
}).handler(async ({ valid: { body }, address, record }, ports) => {
  const { pairing, answer } = await pair(body.code, address, ports);
  const { keyId, accessLevel, issuer } = pairing;
  record('pairing.trade', { key: keyId, level: accessLevel, issuer, client: answer.client_id });
  return tokenReply(answer);
});
