import { endpoint } from '../shared/middleware/endpoint.ts';
import { logger, metrics, tokens } from '../shared/ports.ts';
import { TokenAnswer } from './auth.schema.ts';
import { refreshToken } from './auth.ts';
import { tokenReply } from './token-reply.ts';

/** GET /api/v2/auth/refresh/: trades a valid token for a fresh one of the same client. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Trade a valid token for a fresh one',
  description: 'Keeps client id, access level, username and permissions. The old token stays valid until it expires.',
  output: TokenAnswer,
  uses: { tokens, logger, metrics },
  effects: true,
}).handler(async ({ caller }, ports) => tokenReply(await refreshToken(ports, caller)));
