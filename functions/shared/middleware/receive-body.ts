import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';
import { addressBlock } from '../tokens/address-block.ts';
import { type Exchange, MAX_BODY_BYTES, type PipelineRequest } from './exchange.ts';

const MEDIA_TYPE = {
  json: /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/,
  multipart: /^multipart\/form-data[ \t]*;/,
};

/**
 * Checks media type, encoding and size, and only then reads the body. Endpoints that take none are without this step.
 * Errors: unsupported_media_type, too_large, malformed_json (not UTF-8), request_timeout.
 */
export function receiveBody({ event, context: { exchange } }: PipelineRequest): void | Promise<void> {
  const { spec } = exchange;
  if (hasNoBody(event)) {
    event.body = '';
    return;
  }
  const type = spec.bodyType ?? 'json';
  requireMediaType(event.headers, type);
  const { SERVICE_COMMAND_BODY_MAX } = exchange.host.ports.config;
  const maxBytes = spec.commandBody ? SERVICE_COMMAND_BODY_MAX : MAX_BODY_BYTES;
  const bytes = bytesOf(event, exchange, maxBytes);
  if (bytes instanceof Promise) return bytes.then((received) => takeIn(received, event, type));
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  takeIn(bytes, event, type);
}

function takeIn(bytes: Buffer, event: PipelineRequest['event'], type: keyof typeof MEDIA_TYPE): void {
  if (type === 'multipart') {
    event.body = bytes as unknown as string; // as: a multipart body stays bytes
  } else {
    if (!isUtf8(bytes)) throw new ServiceError('malformed_json', { detail: 'The body is not UTF-8; JSON always is.' });
    event.body = bytes.toString('utf8');
  }
  event.isBase64Encoded = false;
}

export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', {
    detail: `The body of this request may have at most ${maxBytes} bytes. Send less, or in several requests.`,
  });
}

function hasNoBody({ headers, body }: PipelineRequest['event']): boolean {
  if (body !== undefined) return body === '';
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

function requireMediaType(headers: PipelineRequest['event']['headers'], wanted: keyof typeof MEDIA_TYPE): void {
  if (headers['content-encoding'] !== undefined) {
    throw new ServiceError('unsupported_media_type', {
      detail: 'Send the body as it is: no Content-Encoding is supported.',
    });
  }
  if (MEDIA_TYPE[wanted].test((headers['content-type'] ?? '').trim().toLowerCase())) return;
  throw new ServiceError('unsupported_media_type', {
    detail: `Send the body as ${wanted === 'json' ? 'application/json in UTF-8' : 'multipart/form-data'}.`,
  });
}

function bytesOf(
  event: PipelineRequest['event'],
  { host, caller }: Exchange,
  maxBytes: number,
): Buffer | Promise<Buffer> {
  if (host.readBody) return host.readBody(maxBytes, caller?.keyId ?? addressBlock(event.requestContext.http.sourceIp));
  return Buffer.from(String(event.body), event.isBase64Encoded ? 'base64' : 'utf8');
}
