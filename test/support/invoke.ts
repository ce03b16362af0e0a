import { text } from 'node:stream/consumers';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import type { Endpoint } from '../../functions/shared/pipeline/endpoint.ts';
import type { Result } from '../../functions/shared/pipeline/exchange.ts';
import type { Ports } from '../../functions/shared/port.ts';
import { toEvent } from '../../local-host/http/event.ts';

export interface Invocation {
  readonly ports: Ports;
  readonly method?: string;
  readonly path?: string;
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** Sent as JSON unless it is a string, which is sent as it is. */
  readonly body?: unknown;
  readonly listener?: 'tcp' | 'socket';
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** Runs one handler by itself: no socket, no router, the whole pipeline. */
export async function invoke(handler: Endpoint, invocation: Invocation): Promise<Answer> {
  const {
    ports,
    method = 'GET',
    path = '/',
    params = {},
    query = {},
    headers = {},
    body,
    listener = 'tcp',
  } = invocation;
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const event = toEvent({
    method,
    path,
    query: new URLSearchParams(query).toString(),
    headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    params,
    routeKey: `${method} ${path}`,
    sourceIp: '192.0.2.1',
    now: Date.now(),
  });
  if (sent !== undefined) event.body = sent;
  const signal = invocation.signal ?? new AbortController().signal;
  const result = await handler(event, {
    host: {
      ports,
      listener,
      signal,
      arrivedAt: arrivalStamp(),
      get abandoned() {
        return signal.aborted;
      },
    },
  });
  const json = /^application\/(problem\+)?json/.test(result.headers['content-type'] ?? '');
  return {
    status: result.statusCode,
    headers: result.headers,
    body: json ? JSON.parse(await textOf(result.body)) : result.body,
  };
}

function textOf(body: Result['body']): string | Promise<string> {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : text(body);
}
