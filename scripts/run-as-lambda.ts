import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { execute } from 'lambda-local';

export { endFunction } from '../functions/shared/middleware/lambda-host.ts';

import type { Endpoint } from '../functions/shared/middleware/endpoint.ts';

/** An answer as API Gateway gets it from a function. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** The gateway's own limit. */
const TIMEOUT_MS = 29_000;

/**
 * Runs one handler as an isolated Lambda function: no host, ports from the settings in `environment` alone.
 * The process keeps these settings, and the handler what it made from them at its first run, as a real function does.
 */
export async function runAsLambda(
  handler: Endpoint,
  event: APIGatewayProxyEventV2,
  environment: Record<string, string> = {},
): Promise<LambdaAnswer> {
  const answer: unknown = await execute({
    event,
    lambdaFunc: { handler },
    environment,
    timeoutMs: TIMEOUT_MS,
    // Any other level silences or fills the output of this process.
    verboseLevel: -1,
  });
  return answer as LambdaAnswer; // as: lambda-local does not know what a handler answers
}
