import { tokens } from '../shared/identity/ports.ts';
import { metrics } from '../shared/observability/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { logger } from '../shared/ports.ts';
import { TokenAnswer } from './auth.schema.ts';
import { issueToken } from './auth.ts';
import { tokenReply } from './token-reply.ts';

/** GET /api/v1/auth/: trades an API key for a token. Over the Unix socket no key is needed. */
export const handler = endpoint({
  access: 'api-key',
  perRobot: true,
  summary: 'Exchange an API key for a token',
  output: TokenAnswer,
  uses: { tokens, logger, metrics },
  effects: 'all',
}).handler(async ({ caller }, ports) => tokenReply(await issueToken(ports, caller)));
