import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { HostFacts } from './exchange.ts';

const PREFIX = /^(\/[A-Za-z0-9_-]{1,64}){1,4}$/;

/** The part of the path that a trusted proxy took off, from X-Forwarded-Prefix; from anybody else it is nothing. */
export function forwardedPrefix(headers: APIGatewayProxyEventV2['headers'], { viaTrustedProxy }: HostFacts): string {
  const given = headers['x-forwarded-prefix'];
  return viaTrustedProxy && given !== undefined && PREFIX.test(given) ? given : '';
}
