import { tokens } from '../shared/identity/ports.ts';
import { metrics } from '../shared/observability/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { logger } from '../shared/ports.ts';
import { TokenAnswer } from './auth.schema.ts';
import { refreshToken } from './auth.ts';
import { tokenReply } from './token-reply.ts';

/** GET /api/v2/auth/refresh/: trades a valid token for a fresh one of the same client. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'Exchange a valid token for a new one',
  description:
    'Keeps client id, access level, username and permissions. The old token stays valid until it expires. With SERVICE_SESSION_MAX_HOURS the last token ends when the session does. A token issued over the Unix socket can only be refreshed there.',
  output: TokenAnswer,
  uses: { tokens, logger, metrics },
  effects: 'all',
  errors: ['insufficient_access'],
}).handler(async ({ caller, listener }, ports) => tokenReply(await refreshToken(ports, caller, listener)));
