import { once } from 'node:events';
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, createServer } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { encrypted, makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { http, rawExchange } from '../support/http.ts';
import { startProcess } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const QUICK = { headersTimeoutMs: 400, requestTimeoutMs: 600, keepAliveTimeoutMs: 400, checkIntervalMs: 50 };

type Pair = ReturnType<typeof makeCertificate>;

function settingsOf({ certPath, keyPath }: Pick<Pair, 'certPath' | 'keyPath'>): Record<string, string> {
  return { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
}

/** A TLS connection whatever certificate comes; what is asked of it is asked of the service, not of the certificate. */
async function connectTls(url: string, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function exchange(url: string, request: string): Promise<string> {
  const socket = await connectTls(url);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined).write(request);
  await once(socket, 'close');
  return received;
}

describeWith('openssl', OPENSSL, 'The TLS listener', () => {
  let service: TestService;
  let pair: Pair;
  beforeAll(async () => {
    pair = makeCertificate(temporaryFolder(), 'first');
    service = await startTestService({ settings: settingsOf(pair), limits: QUICK });
  });
  afterAll(() => service.stop());

  it('serves the same routes as the plain one, to a client that verifies the certificate', async () => {
    const headers = { authorization: `Bearer ${await service.token('USER')}` };
    const body = { command: 'sound_level', value: 30 };
    for (const base of [service.tlsUrl, service.url]) {
      const answer = await http(base, '/api/v1/int/', { method: 'POST', headers, body, ca: pair.cert });
      expect([answer.status, answer.json.value]).toEqual([200, 30]);
    }
  });

  it('has the access rules of TCP: no token without a key, and no foreign Host', async () => {
    const { tlsUrl } = service;
    expect((await http(tlsUrl, '/api/v2/auth/', { ca: pair.cert })).json.code).toBe('missing_api_key');
    const foreign = 'GET /status HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n';
    expect(await exchange(tlsUrl, foreign)).toMatch(/^HTTP\/1\.1 421 [\s\S]*"code":"host_not_allowed"/);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('rejects %s', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(connectTls(service.tlsUrl, old)).rejects.toThrow(/protocol version|ECONNRESET|disconnected/);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('accepts %s', async (version) => {
    const socket = await connectTls(service.tlsUrl, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });

  it.each([
    ['plain HTTP', 'GET /status HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['nonsense', '\u0016\u0003\u0001 nonsense that is no handshake\r\n\r\n'],
    ['nothing, until the handshake has taken too long', ''],
  ])('disconnects a client that sends %s, and keeps serving', async (_name, text) => {
    const socket = connectPlain(Number(new URL(service.tlsUrl).port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
    if (text !== '') socket.write(text, 'latin1');
    await once(socket, 'close');
    expect(Buffer.concat(received).toString('latin1')).not.toContain('HTTP/1.1');
    expect((await http(service.tlsUrl, '/status', { ca: pair.cert })).status).toBe(200);
  });

  it('answers malformed and slow HTTP with a problem, like the plain one', async () => {
    expect(await exchange(service.tlsUrl, 'HELLO ROBOT\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/,
    );
    const slow = await exchange(service.tlsUrl, 'GET /status HTTP/1.1\r\nhost: localhost\r\n');
    expect(slow).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
  });

  it('is not opened without a certificate', async () => {
    const plain = await startTestService();
    expect(plain.tlsUrl).toBe('');
    await plain.stop();
  });
});

describeWith('openssl', OPENSSL, 'A renewed certificate', () => {
  let now = Date.parse('2027-03-01T12:00:00Z');
  let service: TestService;
  let folder: string;
  let [old, renewed] = [{} as Pair, {} as Pair]; // as: made before each test, when openssl is known to be there
  beforeAll(async () => {
    folder = temporaryFolder();
    [old, renewed] = [makeCertificate(folder, 'old'), makeCertificate(folder, 'renewed')];
    service = await startTestService({ settings: settingsOf(old), clock: () => now });
  });
  afterAll(() => service.stop());

  async function nameNow(): Promise<string | undefined> {
    now += 1000;
    const socket = await connectTls(service.tlsUrl);
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  it('is loaded without a restart once certificate and key match, and open connections continue', async () => {
    const open = await connectTls(service.tlsUrl);
    expect(await nameNow()).toBe('old');
    renameSync(renewed.certPath, old.certPath);
    expect(await nameNow()).toBe('old');
    renameSync(renewed.keyPath, old.keyPath);
    expect(await nameNow()).toBe('renewed');
    open.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [answer] = (await once(open, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/);
    open.destroy();
  });

  it('is ignored if it is invalid or others can read its key', async () => {
    writeFileSync(old.certPath, 'half a certif');
    expect(await nameNow()).toBe('renewed');
    writeFileSync(old.certPath, renewed.cert);
    chmodSync(old.keyPath, 0o644);
    expect(await nameNow()).toBe('renewed');
  });
});

describeWith('openssl', OPENSSL, 'A start with an invalid TLS certificate', () => {
  const folder = temporaryFolder();
  let [pair, other] = [{} as Pair, {} as Pair]; // as: made before the tests, when openssl is known to be there
  beforeAll(() => {
    [pair, other] = [makeCertificate(folder, 'pair'), makeCertificate(folder, 'other')];
  });
  const file = (name: string, text: string, mode = 0o600) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it.each<[string, () => Partial<Pair>, RegExp]>([
    ['a certificate alone', () => ({ certPath: pair.certPath }), /CERT_PATH is set without SERVICE_TLS_KEY_PATH/],
    ['a key alone', () => ({ keyPath: pair.keyPath }), /KEY_PATH is set without SERVICE_TLS_CERT_PATH/],
    ['no such file', () => ({ ...pair, certPath: join(folder, 'none') }), /CERT_PATH .*does not exist/],
    ['a certificate that is none', () => ({ ...pair, certPath: file('a', 'hello') }), /CERT_PATH .*no PEM certificate/],
    ['a key that is none', () => ({ ...pair, keyPath: file('b', 'hello') }), /KEY_PATH .*no PEM private key/],
    ['a key under a passphrase', () => ({ ...pair, keyPath: file('c', encrypted(pair.keyPath)) }), /encrypted/],
    ['a key that its group can read', () => ({ ...pair, keyPath: file('d', pair.key, 0o640) }), /chmod 600/],
    ['a key that others can read', () => ({ ...pair, keyPath: file('e', pair.key, 0o604) }), /chmod 600/],
    ['the key of another', () => ({ ...pair, keyPath: other.keyPath }), /do not match/],
  ])('fails on %s with one line that names the setting', async (_name, make, message) => {
    const { certPath, keyPath } = make();
    const settings = {
      ...(certPath === undefined ? {} : { SERVICE_TLS_CERT_PATH: certPath }),
      ...(keyPath === undefined ? {} : { SERVICE_TLS_KEY_PATH: keyPath }),
    };
    const failure = await startTestService({ settings: { ...settings, SERVICE_TLS_PORT: '0' } }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(message) });
    expect((failure as Error).message).not.toMatch(/\n|BEGIN/);
  });

  it('fails on a port in use with the name of the setting, and leaves nothing listening', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const settings = { ...settingsOf(pair), SERVICE_TLS_PORT: String(port) };
    await expect(startTestService({ settings })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set SERVICE_TLS_PORT.`,
    );
    blocker.close();
  });
});

describeWith('openssl', OPENSSL, 'The process', () => {
  it('announces the TLS listener with the others and closes it with them', async () => {
    const pair = makeCertificate(temporaryFolder(), 'process');
    const service = await startProcess(settingsOf(pair));
    const tlsUrl = / and (https:\S+) and /.exec(service.output().stdout)?.[1] ?? '';
    expect((await http(tlsUrl, '/status', { ca: pair.cert })).json.status).toBe('ok');
    expect(await rawExchange(service.url, ['GET /status HTTP/1.0\r\nhost: localhost\r\n\r\n'])).toMatch(
      /^HTTP\/1\.1 200/,
    );
    expect(await service.end()).toEqual({ code: 0, signal: null });
    await expect(connectTls(tlsUrl)).rejects.toThrow('ECONNREFUSED');
  });
});
