import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import { toEvent } from '../local-host/event.ts';

const texts = z.record(z.string(), z.string());

/** The short form of a request. `body` is sent as JSON unless it is a string, which is sent as it is. */
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
 * A whole API Gateway event (payload version 2.0) from a short request; an event that is whole already passes as it is.
 * @throws Error that says in one line what is wrong with the request.
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
