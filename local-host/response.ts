import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Logger } from '../functions/shared/logger.ts';
import type { Result } from '../functions/shared/middleware/exchange.ts';
import { type AnswerBudget, STREAM_BYTES } from './answer-budget.ts';
import type { Limits } from './limits.ts';

export interface Delivery {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: Limits;
  readonly logger: Logger;
  /** When the answer was ready, so much of the body was unread that the connection is not worth keeping. */
  readonly muchUnread: boolean;
  readonly answers: AnswerBudget;
  /** Of the client. */
  readonly address: string;
}

/** Sends a result: text and bytes with their length, streams as they come, for HEAD the headers alone. */
export function send(result: Result, delivery: Delivery): void {
  const { request, response, limits, logger, muchUnread, answers, address } = delivery;
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
    answers.hold(response, address, STREAM_BYTES);
    cutWhenStuck(response, limits);
    body.once('error', (error) => {
      if (response.destroyed) return; // the client has left: that is what its answer broke off of
      logger.error({ err: error, request_id: headers['x-request-id'] }, 'an answer broke off');
    });
    pipeline(body, response, () => undefined); // ends the connection of an answer that broke off
    return;
  }
  if (statusCode !== 204 && statusCode !== 304) headers['content-length'] ??= String(Buffer.byteLength(body));
  const payload = request.method === 'HEAD' || statusCode === 204 || statusCode === 304 ? '' : body;
  if (muchUnread) {
    headers.connection = 'close';
    response.writeHead(statusCode, headers);
    response.write(payload);
    endAfterDraining(request, response, limits);
    return;
  }
  response.writeHead(statusCode, headers);
  response.end(payload);
  if (response.writableLength === 0) return;
  answers.hold(response, address, response.writableLength);
  cutWhenStuck(response, limits);
}

function isStream(body: Result['body']): body is Exclude<Result['body'], string | Buffer> {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

/** A client that does not read its answer must not hold it in memory for ever. */
function cutWhenStuck(response: ServerResponse, limits: Limits): void {
  response.setTimeout(limits.sendTimeout, () => response.destroy());
}

/**
 * The client may still be sending a body that nobody wants. Closing now would make the kernel reset the connection and
 * the client might never see the answer, so the rest is thrown away for a while first.
 */
function endAfterDraining(request: IncomingMessage, response: ServerResponse, limits: Limits): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, limits.lingerTimeout);
  request.once('end', end).once('close', end);
  request.resume();
}
