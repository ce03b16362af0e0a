import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../functions/shared/errors.ts';
import { LARGE_BODY_BYTES } from '../../functions/shared/pipeline/exchange.ts';
import { tooLarge } from '../../functions/shared/pipeline/receive-body.ts';
import type { BodyBudget } from './body-budget.ts';

const EMPTY = Buffer.alloc(0);
/** A connection with more unread body bytes than this is closed rather than drained. */
const MAX_DRAIN_BYTES = 64 * 1024;

interface BodyOptions {
  readonly maxBytes: number;
  /** The key or address block whose limit it counts against. */
  readonly owner: string;
  readonly budget: BodyBudget;
}

/**
 * Reads a request body, and rejects it by its Content-Length or at the first byte over the limit. A client that sent
 * "Expect: 100-continue" is told to continue only here, so a rejected request costs it nothing. Returns no promise if
 * the whole body has already arrived: a small one comes with the headers.
 * @throws ServiceError `too_large`; `component_unavailable` if evicted in favour of others; `bad_request` if the body
 * is cut short.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  options: BodyOptions,
): Buffer | Promise<Buffer> {
  const { maxBytes } = options;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!request.complete) return receive(request, response, options);
  const bytes: Buffer = request.read() ?? EMPTY;
  return bytes.length < LARGE_BODY_BYTES ? bytes : options.budget.throttle.next(options.owner).then(() => bytes);
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, owner, budget }: BodyOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.headers.expect !== undefined) response.writeContinue();
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: ServiceError) => {
      chunks.length = 0;
      request.off('data', onData).pause();
      budget.end(allocation);
      reject(error);
    };
    const allocation = budget.begin(owner, fail);
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        fail(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
      budget.add(allocation, chunk.length);
    };
    response.once('close', () => budget.end(allocation));
    request.on('data', onData);
    request.on('end', () => {
      allocation.complete = true;
      const concatenate = () => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      if (size < LARGE_BODY_BYTES) resolve(concatenate());
      else void budget.throttle.next(owner).then(() => resolve(concatenate()));
    });
    request.on('close', () => {
      if (request.complete) return;
      fail(new ServiceError('bad_request', { detail: 'The body ended before its declared length.' }));
    });
  });
}

/** True if too much of the body is unread for the connection to be worth keeping. */
export function hasLargeUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined || request.headers.expect !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > MAX_DRAIN_BYTES;
}
