import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed; `bytes` are as they came. */
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface HttpCall {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Certificate (PEM) that an `https:` base is trusted by. */
  readonly ca?: string;
}

/** One request on a connection of its own. `base` is `http[s]://host:port`, or the path of a Unix socket. */
export function http(base: string, path: string, call: HttpCall = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, signal, ca } = call;
  const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const payload = raw ? body : JSON.stringify(body);
  const where = base.startsWith('/')
    ? { socketPath: base }
    : { host: new URL(base).hostname, port: new URL(base).port };
  return new Promise((resolve, reject) => {
    const request = (base.startsWith('https:') ? httpsRequest : httpRequest)({
      ...where,
      method,
      path,
      agent: false,
      ...(signal ? { signal } : {}),
      ...(ca === undefined ? {} : { ca }),
      headers: {
        ...(raw ? {} : { 'content-type': 'application/json' }),
        ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isZipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
        const text = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8');
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    request.end(payload);
  });
}

/** Sends bytes as they are and answers with everything that comes back until the server closes. */
export function rawExchange(base: string, chunks: ReadonlyArray<string | Buffer>): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** What a raw answer says of a problem. */
export function problemIn(raw: string): { status: number; code: string; type: string | undefined } {
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    code: (JSON.parse(body) as { code: string }).code,
    type: /content-type: (\S+)/i.exec(head)?.[1],
  };
}
