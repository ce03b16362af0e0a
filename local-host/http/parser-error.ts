import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROBLEMS, ServiceError } from '../../functions/shared/errors.ts';
import { problem } from '../../functions/shared/pipeline/render-error.ts';

/**
 * Answers input that never became a request: malformed HTTP, headers over the parser's limit, a client that is too
 * slow.
 * @param prefix what the client has to write before the paths that the error names.
 * @returns the error that was sent, or undefined if the socket could not take a response.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): ServiceError | undefined {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  return answerOnSocket(mapParserError(error), socket);
}

/**
 * Answers a request that has no response object, and closes the connection.
 * @returns the error that was sent, or undefined if the socket could not take a response.
 */
export function answerOnSocket(error: ServiceError, socket: Duplex, prefix = ''): ServiceError | undefined {
  if (!socket.writable) {
    socket.destroy();
    return undefined;
  }
  const { statusCode, headers, body } = problem(error, randomUUID(), prefix);
  const text = String(body);
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(text)), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${statusCode} ${PROBLEMS[error.code][1]}\r\n${head}\r\n${text}`);
  return error;
}

function mapParserError(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', { detail: 'The request line and headers are too large.' });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', { detail: 'The request did not arrive in time.' });
    default:
      return new ServiceError('bad_request', { detail: 'Not a valid HTTP/1.1 request.' });
  }
}
