import { ServiceError } from '../errors.ts';
import type { PipelineRequest } from './exchange.ts';

/**
 * An answer with a secret is not sent where others may read it: only over our own TLS, over the Unix socket, or through
 * a trusted proxy that says it was reached over TLS. Simulated robots, and SERVICE_ALLOW_PLAIN_SECRETS, do without.
 * Error: secure_channel_required.
 */
export function requireSecureChannel({ event, context: { exchange } }: PipelineRequest): void {
  const { host } = exchange;
  const { SERVICE_MODE, SERVICE_ALLOW_PLAIN_SECRETS } = host.ports.config;
  if (host.listener === 'socket' || host.encrypted || SERVICE_ALLOW_PLAIN_SECRETS || SERVICE_MODE === 'sim') return;
  const hops = (event.headers['x-forwarded-proto'] ?? '').split(',').map((hop) => hop.trim().toLowerCase());
  if (host.viaTrustedProxy && hops.every((hop) => hop === 'https')) return;
  throw new ServiceError('secure_channel_required', {
    detail:
      'The answer would hold a secret, and this connection is not encrypted. Use https://, the Unix socket on the robot, or a proxy with TLS that SERVICE_TRUSTED_PROXY names and that sends X-Forwarded-Proto.',
  });
}
