/** The upper bound: plain node:http, with verified tokens cached and the body checked by hand. */
import { verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isDetected, keys, PORT, ready } from './work.ts';

const { publicKey } = keys();
const known = new Map<string, number>();

function isValid(header: string | undefined): boolean {
  const token = header?.slice(7) ?? '';
  const expires = known.get(token);
  if (expires !== undefined) return expires > Date.now() / 1000;
  const [head = '', payload = '', signature = ''] = token.split('.');
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))) return false;
  known.set(token, (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }).exp);
  return isValid(header);
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST' || request.url !== '/api/v1/str/') answer(response, 404, {});
  else if (!isValid(request.headers.authorization)) answer(response, 401, {});
  else {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => run(JSON.parse(Buffer.concat(chunks).toString()), response));
  }
}

function run({ command, value }: { command: unknown; value: unknown }, response: ServerResponse): void {
  if (command !== 'is_detected' || typeof value !== 'string' || value.length > 16_384) answer(response, 422, {});
  else answer(response, 200, { command, value, result: isDetected(value) });
}

createServer(serve).listen(PORT, '127.0.0.1', ready);
