import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** What the host knows about a request, independent of any socket. */
interface IncomingFacts {
  readonly method: string;
  /** Path as received, without the query. */
  readonly path: string;
  /** Query as received, without the question mark. */
  readonly query: string;
  /** Header names in lower case, one value each. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Method and pattern of the route: `GET /api/{version}/volume/`. */
  readonly routeKey: string;
  /** Address of the client. */
  readonly sourceIp: string;
  readonly now: number;
}

/**
 * The request as an API Gateway HTTP API event, payload version 2.0, without the body: the body is only read once the
 * pipeline has authorized the caller. As in API Gateway, repeated query parameters are joined by a comma.
 */
export function toEvent(facts: IncomingFacts): APIGatewayProxyEventV2 {
  const { method, path, query, headers, params, routeKey, sourceIp, now } = facts;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers,
    queryStringParameters: query === '' ? {} : parseQuery(query),
    pathParameters: params,
    requestContext: {
      accountId: '',
      apiId: '',
      domainName: headers.host ?? '',
      domainPrefix: '',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId: '',
      routeKey,
      stage: '$default',
      time: '',
      timeEpoch: now,
    },
    isBase64Encoded: false,
  };
}

function parseQuery(query: string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = name in parameters ? `${parameters[name]},${value}` : value;
  }
  return parameters;
}
