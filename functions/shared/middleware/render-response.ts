import type { PipelineRequest, Result } from './exchange.ts';
import { Reply } from './reply.ts';

/** Turns what the handler returned into a result: a plain value becomes JSON, a {@link Reply} passes with its own headers. */
export function renderResponse(request: PipelineRequest): void {
  const value = request.response;
  const result: Result =
    value instanceof Reply
      ? { statusCode: value.status, headers: value.headers, body: value.body }
      : { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value ?? null) };
  request.response = result;
}
