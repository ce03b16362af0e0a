import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { PROBLEMS, ServiceError } from '../functions/shared/errors.ts';
import { problem } from '../functions/shared/middleware/render-error.ts';

/**
 * Answers what never became a request: malformed HTTP, headers beyond the parser's limit, a client that is too slow.
 * @returns the problem's code for log and metrics, or undefined when the socket could take no answer.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): ServiceError | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  const mapped = mapParserError(error);
  const { statusCode, headers, body } = problem(mapped, randomUUID());
  const text = String(body);
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(text)), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${statusCode} ${PROBLEMS[mapped.code][1]}\r\n${head}\r\n${text}`);
  return mapped;
}

function mapParserError(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', { detail: 'The request line and headers are too large.' });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', { detail: 'The request did not arrive completely in time.' });
    default:
      return new ServiceError('bad_request', { detail: 'This is not a valid HTTP/1.1 request.' });
  }
}
