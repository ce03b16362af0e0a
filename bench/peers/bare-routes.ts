/** The other routes on plain node:http: no checks, no schemas, no log. */
import { execFile } from 'node:child_process';
import { sign } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';
import { keys, PORT, ready } from './work.ts';

const { DATABASE = '', DESCRIPTION = '', JOURNAL = '', PACKAGES = '' } = process.env;
const Sqlite = createRequire(PACKAGES)('better-sqlite3') as typeof SqliteDatabase; // as: native code, which cannot be bundled
const { privateKey, publicKey } = keys();
const jwks = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' }],
});
const header = base64({ alg: 'ES256', kid: 'bench' });
const database = new Sqlite(DATABASE);
database.pragma('synchronous = FULL');
const all = database.prepare('select * from robots_table order by id');
const one = database.prepare('select * from robots_table where id = ?');
const update = database.prepare('update robots_table set color = ? where id = ? returning *');

interface Update {
  readonly item: { readonly id: number };
  readonly new_value: string;
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function newToken(): string {
  const unsigned = `${header}.${base64({ sub: 'bench', exp: Math.floor(Date.now() / 1000) + 1800 })}`;
  const signature = sign('sha256', Buffer.from(unsigned), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${unsigned}.${signature.toString('base64url')}`;
}

function answer(response: ServerResponse, text: string, headers: Record<string, string> = {}): void {
  const length = Buffer.byteLength(text);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(text);
}

const ROUTES: Record<string, (response: ServerResponse, request: IncomingMessage, query: URLSearchParams) => void> = {
  '/.well-known/jwks.json': (response) => answer(response, jwks),
  '/api/v2/auth/refresh/': (response) => answer(response, '{}', { authorization: `Bearer ${newToken()}` }),
  '/api/v2/database/read/': (response) => answer(response, JSON.stringify(all.all())),
  '/api/v2/database/read_item/': (response, _request, query) => {
    const { item } = JSON.parse(query.get('data') ?? '') as { item: { id: number } };
    answer(response, JSON.stringify(one.get(item.id)));
  },
  '/api/v2/database/update_item/': (response, request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { item, new_value } = JSON.parse(Buffer.concat(chunks).toString()) as Update;
      answer(response, JSON.stringify(update.get(new_value, item.id)));
    });
  },
  '/api/v2/meshes/body.stl': (response) => {
    const file = join(DESCRIPTION, 'body.stl');
    response.writeHead(200, { 'content-type': 'model/stl', 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
  },
  '/api/v2/service/head/robot-driver.service': (response, _request, query) => {
    const window = [`--directory=${JOURNAL}`, '--since=-1h', `--lines=${query.get('lines')}`];
    const args = [...window, '--unit=robot-driver.service', '--output=json', '--no-pager'];
    execFile('journalctl', args, { maxBuffer: 2 ** 30 }, (_error, lines) => {
      const entries = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string>);
      const kept = entries.map(({ MESSAGE, PRIORITY, __REALTIME_TIMESTAMP }) => ({
        MESSAGE,
        PRIORITY,
        __REALTIME_TIMESTAMP,
      }));
      answer(response, JSON.stringify({ lines: kept }));
    });
  },
};

createServer((request, response) => {
  const [path = '', query] = (request.url ?? '').split('?');
  const route = ROUTES[path];
  if (route) route(response, request, new URLSearchParams(query));
  else response.writeHead(404).end();
}).listen(PORT, '127.0.0.1', ready);
