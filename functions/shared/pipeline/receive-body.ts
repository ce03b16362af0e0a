import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { ServiceError } from '../errors.ts';
import { addressBlock } from '../identity/address-block.ts';
import { MAX_BODY_BYTES } from '../setting-types.ts';
import { type Exchange, LARGE_BODY_BYTES, type PipelineRequest } from './exchange.ts';
import type { EndpointSpec, StreamedType } from './spec.ts';

const MEDIA_TYPE = {
  // Parameters may be empty (RFC 9110, section 5.6.6).
  json: /^application\/json[ \t]*(?:(?:;[ \t]*)+(?:charset="?utf-?8"?[ \t]*(?:;[ \t]*)*)?)?$/,
  multipart: /^multipart\/form-data[ \t]*;/,
};

/** Longest name from a header that an error repeats. */
const MAX_NAME_CHARS = 64;

/**
 * Checks media type, encoding and size, and only then reads the body. Endpoints that take none are without this step.
 * Errors: unsupported_media_type, too_large, malformed_json (not UTF-8), request_timeout.
 */
export function receiveBody({ event, context: { exchange } }: PipelineRequest): void | Promise<void> {
  const { spec } = exchange;
  if (spec.bodyStream && !isJsonInstead(event, spec.bodyStream)) return openStream(event, exchange, spec.bodyStream);
  if (hasNoBody(event)) {
    event.body = '';
    return;
  }
  const type = spec.bodyType ?? 'json';
  requireMediaType(event.headers, type);
  const { SERVICE_COMMAND_BODY_MAX } = exchange.host.ports.config;
  const maxBytes = spec.commandBody ? SERVICE_COMMAND_BODY_MAX : MAX_BODY_BYTES;
  const bytes = bytesOf(event, exchange, maxBytes);
  if (bytes instanceof Promise) return bytes.then((received) => takeIn(received, event, exchange));
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  takeIn(bytes, event, exchange);
}

function isJsonInstead(
  { headers }: PipelineRequest['event'],
  { json }: NonNullable<EndpointSpec['bodyStream']>,
): boolean {
  return json !== undefined && MEDIA_TYPE.json.test((headers['content-type'] ?? '').trim().toLowerCase());
}

function openStream(
  event: PipelineRequest['event'],
  { host }: Exchange,
  { mediaType, alsoTaken = [], maxBytes }: NonNullable<EndpointSpec['bodyStream']>,
): void {
  requireStreamType(event.headers, mediaType, alsoTaken);
  if (Number(event.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const body = host.openBody?.(maxBytes) ?? Readable.from([Buffer.from(String(event.body ?? ''))]);
  event.body = body as unknown as string; // as: a streamed body stays a stream
}

/** Parameters are ignored, but for a character set other than UTF-8. */
function requireStreamType(
  headers: PipelineRequest['event']['headers'],
  wanted: StreamedType,
  others: readonly string[],
): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((one) => /^charset="?([^"]*)"?$/.exec(one.trim())?.[1])
    .find((one) => one !== undefined);
  const plain = headers['content-encoding'] === undefined && (charset === undefined || /^utf-?8$/.test(charset));
  if ((type.trim() === wanted || others.includes(type.trim())) && plain) return;
  throw new ServiceError('unsupported_media_type', {
    detail: `Send the body as it is, in UTF-8 if it is text, with the header "Content-Type: ${wanted}".`,
  });
}

function takeIn(bytes: Buffer, event: PipelineRequest['event'], exchange: Exchange): void {
  exchange.largeBody = bytes.length >= LARGE_BODY_BYTES;
  if (exchange.spec.bodyType === 'multipart') {
    event.body = bytes as unknown as string; // as: a multipart body stays bytes
  } else {
    if (!isUtf8(bytes)) throw new ServiceError('malformed_json', { detail: 'The body is not UTF-8; JSON always is.' });
    event.body = withoutByteOrderMark(bytes).toString('utf8');
  }
  event.isBase64Encoded = false;
}

/** A byte order mark may be ignored (RFC 8259, section 8.1); editors and .NET put it before UTF-8. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
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
  const type = (headers['content-type'] ?? '').trim().toLowerCase();
  if (MEDIA_TYPE[wanted].test(type)) return;
  throw new ServiceError('unsupported_media_type', {
    detail: wanted === 'json' ? jsonTypeAdvice(type) : 'Send the body as multipart/form-data with its boundary.',
  });
}

/** How to mend a Content-Type where JSON is expected. */
function jsonTypeAdvice(type: string): string {
  const [essence, ...parameters] = type.split(';');
  if (essence?.trim() === 'application/json') {
    const names = parameters.map((parameter) => parameter.split('=', 1).join('').trim());
    const unknown = names.find((name) => name !== 'charset' && name !== '');
    if (unknown !== undefined) {
      return `Leave out the parameter "${unknown.slice(0, MAX_NAME_CHARS)}" of Content-Type: application/json knows charset=utf-8 only.`;
    }
    if (names.includes('charset')) return 'Send the body in UTF-8, as JSON always is: Content-Type: application/json.';
  }
  return 'Send the body as JSON in UTF-8, with the header "Content-Type: application/json".';
}

function bytesOf(
  event: PipelineRequest['event'],
  { host, caller }: Exchange,
  maxBytes: number,
): Buffer | Promise<Buffer> {
  if (host.readBody) return host.readBody(maxBytes, caller?.keyId ?? addressBlock(event.requestContext.http.sourceIp));
  return Buffer.from(String(event.body), event.isBase64Encoded ? 'base64' : 'utf8');
}
