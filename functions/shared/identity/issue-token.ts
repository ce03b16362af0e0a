import type { Caller } from '../access.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.port.ts';
import { type Grant, LOCAL_KEY_ID } from './claims.ts';
import type { MintedToken, Tokens } from './tokens.ts';

export interface IssuePorts {
  readonly tokens: Tokens;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Mints a token, with a log entry and metrics. */
export async function issue(
  { tokens, logger, metrics }: IssuePorts,
  grant: Grant,
  kind: 'auth' | 'refresh' | 'publisher',
): Promise<MintedToken> {
  const minted = await tokens.mint(grant);
  metrics.tokenMinted(kind);
  logger.info(
    {
      kind,
      key_id: grant.keyId,
      username: grant.username,
      client_id: minted.clientId,
      access_level: grant.accessLevel,
      publish: grant.mayPublish,
    },
    'token issued',
  );
  return minted;
}

/** A token that was copied from the Unix socket must not be kept alive over the network. */
export function mayRefresh({ keyId }: Caller, listener: 'tcp' | 'socket'): boolean {
  return keyId !== LOCAL_KEY_ID || listener === 'socket';
}
