import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http, rawExchange } from '../../support/http.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { filled, membersOf, ROUTE_CALLS } from '../../support/route-calls.ts';
import { temporaryFolder } from '../../support/world.ts';

const FORGED = '\n{"level":"fatal","msg":"FORGED"}\r\n\u001b[2K\u001b[1AFORGED';
const PASSWORD = 'horse-battery-staple-7';
const WRONG_KEY = 'rk_wrong-key-that-somebody-mistyped';

/** Everything that must not be read by whoever reads the log. */
const secrets: string[] = [PASSWORD, WRONG_KEY];
const home = temporaryFolder();
let service: ServiceProcess;
let output: string;

beforeAll(async () => {
  service = await startProcess({
    HOME: home,
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ROBOT_URL: 'sim:',
    SERVICE_LOG_LEVEL: 'trace',
  });
  while (!service.output().stderr.includes('first-api-key')) await once(service.child.stderr ?? service.child, 'data');
  const key = readFileSync(join(home, '.robot-rest', 'first-api-key'), 'utf8').trim();
  secrets.push(key);
  const token = await tokenFor(key);
  await attack(token);
  await service.end();
  output = service.output().stdout + service.output().stderr;
});
afterAll(() => service.end('SIGKILL'));

async function tokenFor(key: string): Promise<string> {
  const query = '?username=ann&mediamtx_publish=true';
  const first = await http(service.url, `/api/v2/auth/${query}`, { headers: { 'x-api-key': key } });
  const headers = { authorization: `Bearer ${first.json.token}` };
  const second = await http(service.url, '/api/v2/auth/refresh/', { headers });
  secrets.push(first.json.token, second.json.token);
  await http(service.url, '/api/v1/auth/', { headers: { 'x-api-key': WRONG_KEY } });
  await http(service.url, '/api/v2/commands/', { headers: { authorization: `Bearer ${first.json.token}x` } });
  await http(service.url, `/api/v2/commands/?jwt=${first.json.token}`);
  await http(service.url, `/${first.json.token}`);
  return second.json.token;
}

/** Every route with line breaks, colours, forged lines and passwords wherever a client can put text. */
async function attack(token: string): Promise<void> {
  const authorization = `Bearer ${token}`;
  for (const { route, method, pattern } of ROUTE_CALLS) {
    const { query, body } = route.endpoint.spec.input ?? {};
    const pairs = [...membersOf(query).map((name) => [name, FORGED]), ['password', PASSWORD], ['key', PASSWORD]];
    const path = `${filled(pattern, encodeURIComponent(FORGED))}?${new URLSearchParams(pairs as [string, string][])}`; // as: pairs of two
    const members = Object.fromEntries(membersOf(body).map((name) => [name, FORGED]));
    const takesJson = body !== undefined && route.endpoint.spec.bodyType !== 'multipart';
    const headers = { authorization, 'user-agent': '"}{"msg":"FORGED', 'x-request-id': '"}\\n{"msg":"FORGED"}' };
    await http(service.url, path, {
      method,
      headers,
      body: takesJson ? { ...members, password: PASSWORD, token, psk: PASSWORD } : undefined,
    });
  }
  const command = (value: unknown) => ({ method: 'POST', headers: { authorization }, body: value });
  await http(service.url, '/api/v1/dict/', command({ command: 'skill', value: { name: FORGED, password: PASSWORD } }));
  await http(service.url, `/api/v2/auth/?username=${encodeURIComponent(FORGED)}`, {
    headers: { 'x-api-key': WRONG_KEY },
  });
  for (const raw of [`GET /${FORGED} HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\nhost: ${FORGED}\r\n\r\n`, FORGED]) {
    await rawExchange(service.url, [`${raw}\r\n\r\n`]);
  }
}

describe('The log of a service that is attacked through everything it logs', () => {
  const lines = () =>
    service
      .output()
      .stderr.split('\n')
      .filter((line) => line !== '');

  it('is JSON line by line, without lines injected by clients', () => {
    expect(lines().length).toBeGreaterThan(ROUTE_CALLS.length);
    for (const line of lines()) {
      const entry = JSON.parse(line) as { level: string; msg: string; time: string };
      expect(entry).toMatchObject({ level: expect.any(String), msg: expect.any(String), time: expect.any(String) });
      expect(entry.msg).not.toContain('FORGED');
    }
  });

  it('contains no control characters that affect a terminal', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('has one line per request, with the route pattern and never the URL', () => {
    const routes = lines().flatMap((line) => (JSON.parse(line) as { route?: string }).route ?? []);
    expect(
      new Set(ROUTE_CALLS.map(({ route, method }) => `${method} ${route.path}`).filter((key) => !routes.includes(key))),
    ).toEqual(new Set());
    expect(routes.filter((route) => /[?%]|FORGED/.test(route))).toEqual([]);
  });

  it('contains no key, token or password, and neither does any file except the key file', () => {
    expect(secrets.length).toBeGreaterThan(4);
    const folder = join(home, '.robot-rest');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'first-api-key')
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(files.length).toBeGreaterThan(2);
    for (const secret of secrets) {
      expect(output).not.toContain(secret);
      expect(files.filter((text) => text.includes(secret))).toEqual([]);
    }
  });
});
