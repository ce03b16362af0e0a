import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { freshEnvironment, runToEnd, type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { temporaryFolder } from '../support/world.ts';

const started: ServiceProcess[] = [];
async function start(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startProcess(settings);
  started.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.end('SIGKILL')));
});

async function tokenOf(service: ServiceProcess, key: string | undefined): Promise<string> {
  const answer = await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': key ?? '' } });
  return answer.json.token as string;
}

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('A start', () => {
  it('on a fresh machine prints its addresses and, only once, the first key', async () => {
    const home = temporaryFolder();
    const first = await start({ HOME: home });
    while (first.key === undefined) await once(first.child.stdout ?? first.child, 'data');
    const token = await tokenOf(first, first.key);
    expect((await http(first.url, '/api/v1/get/get_language', withToken(token))).status).toBe(200);
    const key = first.key;
    await first.end();
    const second = await start({ HOME: home });
    expect(await tokenOf(second, key)).toEqual(expect.any(String));
    expect(second.key).toBeUndefined();
  });

  it('keeps tokens valid across a restart and kill -9', async () => {
    const home = temporaryFolder();
    const first = await start({ HOME: home });
    const token = (await http(first.socketPath, '/api/v2/auth/')).json.token;
    await first.end('SIGKILL');
    const second = await start({ HOME: home });
    expect((await http(second.url, '/api/v2/commands/', withToken(token))).status).toBe(200);
    expect((await http(second.socketPath, '/status')).status).toBe(200);
  });

  it('invalidates tokens with an ephemeral key, and says so', async () => {
    const home = temporaryFolder();
    const first = await start({ HOME: home, SERVICE_JWT_EPHEMERAL: '1' });
    const token = (await http(first.socketPath, '/api/v2/auth/')).json.token;
    expect((await http(first.url, '/api/v2/commands/', withToken(token))).status).toBe(200);
    expect(first.output().stderr).toMatch(/"level":"warn".*hour/);
    await first.end();
    const second = await start({ HOME: home, SERVICE_JWT_EPHEMERAL: '1' });
    expect((await http(second.url, '/api/v2/commands/', withToken(token))).json.code).toBe('token_invalid');
  });

  it('on a port in use fails with one line and exit status 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const { code, stdout, stderr } = await runToEnd([], freshEnvironment({ SERVICE_PORT: String(port) }));
    blocker.close();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set SERVICE_PORT.\n`,
    );
  });

  it('on a live socket continues with TCP, reports the owner, and leaves the socket alone', async () => {
    const first = await start();
    // The other ends of these lie at the same path.
    const clients = Array.from({ length: 10 }, () => connect(first.socketPath));
    await Promise.all(clients.map((client) => once(client, 'connect')));
    const second = await start({ SERVICE_SOCKET_PATH: first.socketPath });
    for (const client of clients) client.destroy();
    const { json } = await http(second.url, '/health/ready');
    expect(json.parts.socket).toMatchObject({ ok: false, reason: expect.stringContaining('SERVICE_SOCKET_PATH') });
    expect(second.output().stderr).toContain(`is in use by process ${first.child.pid}`);
    await second.end();
    expect((await http(first.socketPath, '/status')).status).toBe(200);
  });

  it('replaces a stale socket file, but no other file', async () => {
    const home = temporaryFolder();
    const first = await start({ HOME: home });
    await first.end('SIGKILL');
    expect(statSync(first.socketPath).isSocket()).toBe(true);
    const second = await start({ HOME: home });
    expect((await http(second.socketPath, '/status')).status).toBe(200);
    const file = join(home, 'precious.txt');
    writeFileSync(file, 'precious');
    const third = await start({ SERVICE_SOCKET_PATH: file });
    expect((await http(third.url, '/health/live')).status).toBe(200);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await until('the log says whose it is', () =>
      /is not a socket; it belongs to user \w+/.test(third.output().stderr),
    );
  });

  it('gives only owner and group access to the socket', async () => {
    const service = await start();
    expect(statSync(service.socketPath).mode & 0o777).toBe(0o660);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a port that is none', { SERVICE_PORT: '70000' }, 'SERVICE_PORT'],
    ['a mode that is none', { SERVICE_MODE: 'production' }, 'SERVICE_MODE'],
    ['a group that is none', { SERVICE_SOCKET_GROUP: 'no-such-group' }, 'SERVICE_SOCKET_GROUP'],
    ['a proxy that is no CIDR block', { SERVICE_TRUSTED_PROXY: '10.0.0.0/99' }, 'SERVICE_TRUSTED_PROXY'],
    ['a robot link that is none', { SERVICE_ROBOT_URL: 'gopher://robot' }, 'SERVICE_ROBOT_URL'],
  ])('with %s fails with one line that names the variable, and exit status 1', async (_name, settings, variable) => {
    const { code, stderr } = await runToEnd([], freshEnvironment(settings));
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(variable);
  });

  it('warns about an unknown setting', async () => {
    const service = await start({ SERVICE_PROT: '1' });
    while (!service.output().stderr.includes('SERVICE_PROT')) await once(service.child.stderr ?? service.child, 'data');
    expect(service.output().stderr).toContain('not a setting');
  });
});

describe('With SERVICE_MODE=robot', () => {
  it('listens on all addresses, rejects commands without a link, and writes the first key to a private file', async () => {
    const home = temporaryFolder();
    const service = await start({ HOME: home, SERVICE_MODE: 'robot' });
    expect(service.url).toMatch(/^http:\/\/0\.0\.0\.0:/);
    const url = service.url.replace('0.0.0.0', '127.0.0.1');
    const token = (await http(service.socketPath, '/api/v2/auth/')).json.token;
    const answer = await http(url, '/api/v2/stop', { method: 'POST', ...withToken(token) });
    expect([answer.status, answer.json.code]).toEqual([503, 'robot_unavailable']);
    expect(answer.json.detail).toContain('SERVICE_ROBOT_URL');
    const file = join(home, '.robot-rest', 'first-api-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8').trim();
    expect(service.output().stdout + service.output().stderr).not.toContain(key);
    expect((await http(url, '/api/v2/auth/', { headers: { 'x-api-key': key } })).json.access_level).toBe('ENCHANTER');
  });
});

/** A service with one client that waits for the end of a mission of 10 minutes. */
async function startWithWaiter() {
  const service = await start();
  const { token } = (await http(service.socketPath, '/api/v2/auth/')).json;
  const post = (path: string, body?: unknown) => http(service.url, path, { method: 'POST', body, ...withToken(token) });
  const { msg } = (await post('/api/v1/dict/', { command: 'skill', value: { name: 'wait', seconds: 600 } })).json
    .result;
  const waiting = post('/api/v1/str/', { command: 'wait_for_skill', value: msg });
  await post('/api/v1/str/', { command: 'wait_for_skill_started', value: msg });
  return { service, post, waiting };
}

describe('SIGTERM', () => {
  it('lets pending requests finish, rejects new ones, and still accepts stop', async () => {
    const { service, post, waiting } = await startWithWaiter();
    const ended = service.end('SIGTERM');
    while ((await http(service.url, '/health/ready', {})).status !== 503)
      await new Promise((resolve) => setTimeout(resolve, 10));

    const refused = await post('/api/v1/int/', { command: 'sound_level', value: 1 });
    expect([refused.status, refused.json.code, refused.headers.connection]).toEqual([
      503,
      'component_unavailable',
      'close',
    ]);
    expect((await http(service.url, '/health/live')).status).toBe(200);
    expect((await post('/api/v2/stop')).status).toBe(200);
    expect((await waiting).json.result).toMatchObject({ awaited: false });
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('has no effect when repeated during shutdown', async () => {
    const { service, post, waiting } = await startWithWaiter();
    const ended = service.end('SIGTERM');
    while ((await http(service.url, '/health/ready', {})).status !== 503)
      await new Promise((resolve) => setTimeout(resolve, 10));
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    expect((await post('/api/v2/stop')).status).toBe(200);
    expect((await waiting).json.result).toMatchObject({ awaited: false });
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('tells a client that waits too long why its request was ended', async () => {
    const { service, waiting } = await startWithWaiter();
    const ended = service.end('SIGTERM');
    expect((await waiting).json).toMatchObject({ status: 503, code: 'component_unavailable' });
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});
