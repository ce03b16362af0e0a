import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Logger } from '../observability/logger.ts';
import type { Exchange } from './exchange.ts';

/** One line a request: the route's pattern and never the URL, ids and never a token, key, body or query value. */
export function logRequest(
  logger: Logger,
  event: APIGatewayProxyEventV2,
  { requestId, serviceRequestId, host, caller, keyHolder, errorCode }: Exchange,
  status: number,
  seconds: number,
): void {
  logger.info(
    {
      request_id: requestId,
      service_request_id: serviceRequestId,
      method: event.requestContext.http.method,
      route: event.routeKey,
      status,
      code: errorCode,
      ms: Math.round(seconds * 1e5) / 100,
      listener: host.listener,
      address: event.requestContext.http.sourceIp,
      client_id: caller?.clientId,
      key_id: caller?.keyId ?? keyHolder?.id,
      robot: host.ports.robotId,
    },
    'request',
  );
}
