import { tokens } from '../shared/identity/ports.ts';
import { metrics } from '../shared/observability/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { logger } from '../shared/ports.ts';
import { AuthenticateQuery, TokenAnswer } from './auth.schema.ts';
import { issueToken } from './auth.ts';
import { tokenReply } from './token-reply.ts';

/**
 * GET /api/v2/auth/: trades an API key for a token, on request one that may publish streams. Over the Unix socket no
 * key is needed.
 */
export const handler = endpoint({
  access: 'api-key',
  perRobot: true,
  summary: 'Exchange an API key for a token',
  description:
    'The token lets its bearer view streams. With `mediamtx_publish=true` it also lets it publish them: over TCP that needs an API key of level ADMIN or ENCHANTER. Over the Unix socket no API key is needed.',
  input: { query: AuthenticateQuery },
  output: TokenAnswer,
  uses: { tokens, logger, metrics },
  effects: 'all',
  errors: ['insufficient_access'],
}).handler(async ({ caller, valid: { query }, record }, ports) => {
  const { username, mediamtx_publish: mayPublish = false } = query;
  if (mayPublish) record('token.publisher', { username: username ?? null });
  return tokenReply(await issueToken(ports, caller, { username, mayPublish }));
});
