import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { Result } from '../../functions/shared/pipeline/exchange.ts';
import { type AnswerBudget, STREAM_BYTES } from './answer-budget.ts';
import type { Limits } from './limits.ts';

export interface Delivery {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: Limits;
  readonly logger: Logger;
  /** When the result was ready, too much of the body was unread for the connection to be worth keeping. */
  readonly largeUnreadBody: boolean;
  readonly answers: AnswerBudget;
  readonly clientAddress: string;
}

/** Sends a result: text and bytes with their length, streams chunk by chunk, only the headers for HEAD. */
export function send(result: Result, delivery: Delivery): void {
  const { request, response, limits, logger, largeUnreadBody, answers, clientAddress } = delivery;
  const { body, headers, statusCode } = result;
  if (response.destroyed || !request.socket.writable) {
    if (isStream(body)) body.destroy();
    return;
  }
  if (isStream(body)) {
    response.writeHead(statusCode, headers);
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    answers.track(response, clientAddress, STREAM_BYTES);
    closeWhenStalled(response, limits);
    body.once('error', (error) => {
      if (response.destroyed) return; // the client hung up, which is what caused the error
      logger.error({ err: error, request_id: headers['x-request-id'] }, 'a streamed response failed');
    });
    pipeline(body, response, () => undefined); // closes the connection if the stream fails
    return;
  }
  if (statusCode !== 204 && statusCode !== 304) headers['content-length'] ??= String(Buffer.byteLength(body));
  const payload = request.method === 'HEAD' || statusCode === 204 || statusCode === 304 ? '' : body;
  if (largeUnreadBody) {
    headers.connection = 'close';
    response.writeHead(statusCode, headers);
    response.write(payload);
    endAfterDraining(request, response, limits);
    return;
  }
  response.writeHead(statusCode, headers);
  response.end(payload);
  if (response.writableLength === 0) return;
  answers.track(response, clientAddress, response.writableLength);
  closeWhenStalled(response, limits);
}

function isStream(body: Result['body']): body is Exclude<Result['body'], string | Buffer> {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

/** A client that does not read its response must not keep it in memory indefinitely. */
function closeWhenStalled(response: ServerResponse, limits: Limits): void {
  response.setTimeout(limits.sendTimeoutMs, () => response.destroy());
}

/**
 * The client may still be sending a body that was rejected. Closing right away would make the kernel reset the
 * connection, and the client might never see the response, so the rest of the body is discarded for a while first.
 */
function endAfterDraining(request: IncomingMessage, response: ServerResponse, limits: Limits): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, limits.lingerTimeoutMs);
  request.once('end', end).once('close', end);
  request.resume();
}
