import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { execute } from 'lambda-local';

export { endFunction } from '../functions/shared/pipeline/lambda-host.ts';

import type { Endpoint } from '../functions/shared/pipeline/endpoint.ts';

/** The response of a function to API Gateway. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** The gateway's own limit. */
const TIMEOUT_MS = 29_000;

/**
 * Runs one handler as an isolated Lambda function: without a host, and with ports created from `environment` only. As
 * in a real function, the settings stay in the process and the handler reuses what it created on its first run.
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
    // Any other level mutes or clutters the output of this process.
    verboseLevel: -1,
  });
  return answer as LambdaAnswer; // as: lambda-local does not know the type of the response
}
