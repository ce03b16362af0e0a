import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { HostFacts } from './exchange.ts';

/** A path of this service in a sentence: nothing of a path stands before it. */
const OWN_PATH = /(?<![\w/}])\/(?=api\/(?:v\d|\{version\})\/|\.well-known\/|status\b|health\/|openapi\.json|docs\b)/g;
const FORWARDED = /^(\/[A-Za-z0-9_-]{1,64}){1,4}$/;
const REST = /^\/rest(?=\/|$)/;
const REST_OF_A_ROBOT = /^(?:\/[A-Za-z0-9_-]{1,64})?\/rest(?=\/|$)/;

/** The prefix that a caller must put before the paths of this service: `/rest`, `/robot-1/rest`, or nothing. */
export function publicPrefix(
  { rawPath, headers }: Pick<APIGatewayProxyEventV2, 'rawPath' | 'headers'>,
  host: HostFacts,
) {
  const { fleet, inCloud } = host.ports.config;
  return forwardedPrefix(headers, host) + prefixIn(rawPath, fleet || inCloud);
}

/** The part of the prefix that is in the received path. @param ofRobots whether the path may start with a robot id. */
export function prefixIn(path: string, ofRobots: boolean): string {
  return (ofRobots ? REST_OF_A_ROBOT : REST).exec(path)?.[0] ?? '';
}

/** Adds the prefix to all paths in a sentence. */
export function withPrefix(sentence: string, prefix: string): string {
  return prefix === '' ? sentence : sentence.replace(OWN_PATH, () => `${prefix}/`);
}

/** The prefix that a trusted proxy has removed, from X-Forwarded-Prefix; empty from anybody else. */
export function forwardedPrefix(headers: APIGatewayProxyEventV2['headers'], { viaTrustedProxy }: HostFacts): string {
  const given = headers['x-forwarded-prefix'];
  return viaTrustedProxy && given !== undefined && FORWARDED.test(given) ? given : '';
}
