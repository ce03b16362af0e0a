import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import { BoundedMap } from '../../functions/shared/kit/bounded-map.ts';
import { mediaRanges } from '../../functions/shared/pipeline/accept.ts';
import type { Result } from '../../functions/shared/pipeline/exchange.ts';

/** Below this a compressed answer fits no fewer packets. */
const MIN_BYTES = 1_024;
/** Documents with an entity tag, as the API document and the console's files, are compressed once. */
const MAX_KEPT = 32;
const COMPRESSIBLE =
  /^(?:application\/(?:(?:[\w.-]+\+)?(?:json|xml)|yaml|x-ndjson|javascript)|text\/(?!event-stream)|image\/svg)/;
/** Who can mix text of their own into an answer could guess a secret in it by its length (BREACH). */
const SECRET = /\/(?:auth|keys)\//;
const SUFFIX = '-gzip"';

const compressed = promisify(gzip);

/** Compresses answers for clients that ask for gzip (RFC 9110, sections 8.4.1.3 and 12.5.3). */
export class Compression {
  readonly #kept = new BoundedMap<string, Promise<Buffer>>(MAX_KEPT);

  /**
   * Whether an answer is sent compressed, which its headers then say. Its entity tag is then another one, since its
   * bytes are.
   */
  chosen(result: Result, request: IncomingMessage, routeKey: string): boolean {
    const { headers, statusCode, body } = result;
    if (statusCode === 304) {
      if (request.headers['if-none-match']?.includes(SUFFIX)) tagCompressed(headers);
      return false;
    }
    if (!COMPRESSIBLE.test(String(headers['content-type'] ?? '')) || SECRET.test(routeKey)) return false;
    if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined) return false;
    if ((typeof body === 'string' || Buffer.isBuffer(body)) && Buffer.byteLength(body) <= MIN_BYTES) return false;
    addVary(headers, 'Accept-Encoding');
    if (!acceptsGzip(request)) return false;
    headers['content-encoding'] = 'gzip';
    delete headers['content-length'];
    tagCompressed(headers);
    return true;
  }

  /** The same answer, compressed. Streams stay streams, each of their chunks complete; nothing else is done in this thread. */
  async apply({ statusCode, headers, body }: Result): Promise<Result> {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return { statusCode, headers, body: gzipped(body) };
    const { etag } = headers;
    if (etag === undefined) return { statusCode, headers, body: await compressed(body) };
    const kept = this.#kept.get(String(etag)) ?? compressed(body);
    this.#kept.set(String(etag), kept);
    return { statusCode, headers, body: await kept };
  }
}

/** Entity tags of compressed answers, as the handlers know them. */
export function withoutCoding(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (!ifMatch?.includes(SUFFIX) && !ifNoneMatch?.includes(SUFFIX)) return headers;
  const plain = { ...headers };
  if (ifMatch) plain['if-match'] = ifMatch.replaceAll(SUFFIX, '"');
  if (ifNoneMatch) plain['if-none-match'] = ifNoneMatch.replaceAll(SUFFIX, '"');
  return plain;
}

/** Names one more request header on which the answer depends. */
export function addVary(headers: Result['headers'], name: string): void {
  const named = headers.vary === undefined ? [] : String(headers.vary).split(', ');
  if (!named.includes(name)) headers.vary = [...named, name].join(', ');
}

function tagCompressed(headers: Result['headers']): void {
  if (headers.etag !== undefined) headers.etag = String(headers.etag).replace(/"$/, SUFFIX);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const codings = mediaRanges(String(headers['accept-encoding'] ?? ''));
  const wanted = codings.find(({ type }) => type === 'gzip') ?? codings.find(({ type }) => type === '*');
  return wanted !== undefined && wanted.weight > 0;
}

/** Each chunk can be read as soon as it is sent: some streams are followed live. */
function gzipped(body: Readable): Readable {
  const zipped = createGzip({ flush: constants.Z_SYNC_FLUSH });
  pipeline(body, zipped, () => undefined); // a failure destroys both, which ends the connection
  return zipped;
}
