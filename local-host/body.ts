import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../functions/shared/errors.ts';
import { tooLarge } from '../functions/shared/middleware/receive-body.ts';
import type { BodyBudget } from './body-budget.ts';

const EMPTY = Buffer.alloc(0);
/** From this size on a body costs milliseconds to parse and check. */
const HEAVY_BYTES = 16 * 1024;

/** Whose body it is, and what it may take up. */
export interface BodyTerms {
  readonly maxBytes: number;
  /** The key or address block whose share it counts against. */
  readonly owner: string;
  readonly budget: BodyBudget;
}

/**
 * Reads a request body, refusing it from its Content-Length or, while reading, at the first byte too many. A client that
 * asked "Expect: 100-continue" is told to go on only here, so a refused request costs it nothing. Without a promise when
 * the whole body is here already: a small one comes with its head.
 * @throws ServiceError `too_large`; `component_unavailable` when it had to make room for others; `bad_request` when the
 * body breaks off.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  terms: BodyTerms,
): Buffer | Promise<Buffer> {
  const { maxBytes } = terms;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!request.complete) return receive(request, response, terms);
  const bytes: Buffer = request.read() ?? EMPTY;
  return bytes.length < HEAVY_BYTES ? bytes : terms.budget.turns.next().then(() => bytes);
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, owner, budget }: BodyTerms,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.headers.expect !== undefined) response.writeContinue();
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: ServiceError) => {
      chunks.length = 0;
      request.off('data', onData).pause();
      budget.end(share);
      reject(error);
    };
    const share = budget.begin(owner, refuse);
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        refuse(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
      budget.add(share, chunk.length);
    };
    response.once('close', () => budget.end(share));
    request.on('data', onData);
    request.on('end', () => {
      share.complete = true;
      const whole = () => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      if (size < HEAVY_BYTES) resolve(whole());
      else void budget.turns.next().then(() => resolve(whole()));
    });
    request.on('close', () => {
      if (request.complete) return;
      refuse(new ServiceError('bad_request', { detail: 'The body ended before its declared length.' }));
    });
  });
}

/** True when so much of the body is unread that the connection is not worth keeping. */
export function leavesMuchUnread(request: IncomingMessage): boolean {
  if (request.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined || request.headers.expect !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 64 * 1024;
}
