import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import { toEvent } from '../local-host/http/event.ts';

const texts = z.record(z.string(), z.string());

/** The short form of a request. A string `body` is sent as is, anything else as JSON. */
const ShortRequest = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  path: z.string().startsWith('/').default('/'),
  headers: texts.default({}),
  query: texts.default({}),
  params: texts.default({}),
  body: z.unknown().optional(),
});

export type ShortRequest = z.input<typeof ShortRequest>;

/**
 * Expands a short request to a full API Gateway event (payload version 2.0). Returns full events unchanged.
 * @throws Error with a one-line message for an invalid request.
 */
export function completeEvent(given: unknown): APIGatewayProxyEventV2 {
  if (isWhole(given)) return given;
  const parsed = ShortRequest.safeParse(given);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const { method, path, headers, query, params, body } = parsed.data;
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const event = toEvent({
    method,
    path,
    query: new URLSearchParams(query).toString(),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...lowered },
    params,
    routeKey: `${method} ${path}`,
    sourceIp: '127.0.0.1',
    now: Date.now(),
  });
  if (body !== undefined) event.body = typeof body === 'string' ? body : JSON.stringify(body);
  return event;
}

function isWhole(given: unknown): given is APIGatewayProxyEventV2 {
  return typeof given === 'object' && given !== null && 'requestContext' in given;
}
