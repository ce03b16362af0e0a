import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { certificateOf, SELF_SIGNED, shownOn } from '../support/self-signed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const run = promisify(execFile);

describe('A service that makes its own certificate', () => {
  let service: TestService;
  let port: number;
  let pem: string;
  let pin: string;
  const file = join(temporaryFolder(), 'robot.crt');
  beforeAll(async () => {
    service = await startTestService({ settings: { ...SELF_SIGNED, SERVICE_STOP_PORT: '0' } });
    const state = await certificateOf(service);
    port = state.port;
    pem = state.certificate.pem;
    pin = `sha256//${state.certificate.public_key_sha256}`;
    writeFileSync(file, pem);
  });
  afterAll(() => service.stop());

  it('tells its fingerprint, its names and its end to any token, over the Unix socket too', async () => {
    const { certificate } = await certificateOf(service);
    expect(certificate).toMatchObject({ sha256: await shownOn(port), self_signed: true });
    expect(certificate.names).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1']));
    expect(certificate.names.some((name: string) => name.endsWith('.local'))).toBe(true);
    const { token } = (await http(service.socketPath, '/api/v2/auth/')).json;
    const headers = { authorization: `Bearer ${token}` };
    expect((await http(service.socketPath, '/api/v2/certificate/', { headers })).json).toEqual({ port, certificate });
    expect((await service.as(undefined, '/api/v2/certificate/')).status).toBe(401);
  });

  it('is verified by Node under its names and addresses', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      expect((await http(`https://${name}:${port}`, '/status', { ca: pem })).json.status).toBe('ok');
    }
    await expect(http(`https://127.0.0.1:${port}`, '/status')).rejects.toThrow(/self-signed/);
  });

  it('shows the same certificate where it serves stop', async () => {
    const { stop } = (await http(service.url, '/status')).json;
    expect(await shownOn(stop.tls_port)).toBe(await shownOn(port));
    const headers = { authorization: `Bearer ${await service.token('USER')}` };
    const call = { method: 'POST', headers, ca: pem };
    expect((await http(`https://127.0.0.1:${stop.tls_port}`, '/api/v2/stop', call)).json.stopped).toBe(true);
  });

  describeWith('curl', '/usr/bin/curl', 'is verified by curl', () => {
    const curl = (...words: string[]) => run('curl', ['-sS', ...words, `https://127.0.0.1:${port}/status`]);
    it('with the certificate, or with the pin of its key', async () => {
      for (const words of [
        ['--cacert', file],
        ['--insecure', '--pinnedpubkey', pin],
      ]) {
        expect(JSON.parse((await curl(...words)).stdout).status).toBe('ok');
      }
    });
    it('and refused without either, or with another pin', async () => {
      await expect(curl()).rejects.toThrow(/self.signed/);
      await expect(curl('--insecure', '--pinnedpubkey', `sha256//${'A'.repeat(43)}=`)).rejects.toThrow(/pinned/);
    });
  });

  describeWith('openssl', OPENSSL, 'is verified by OpenSSL', () => {
    it('as that of localhost, and of nobody else', async () => {
      const verify = (name: string) =>
        run('sh', [
          '-c',
          `openssl s_client -connect 127.0.0.1:${port} -CAfile ${file} -verify_return_error -verify_hostname ${name} </dev/null`,
        ]);
      expect((await verify('localhost')).stdout).toContain('Verify return code: 0 (ok)');
      await expect(verify('robot.example')).rejects.toThrow(/hostname mismatch/i);
    });
  });
});

describeWith('openssl', OPENSSL, 'A certificate that an operator has set', () => {
  it('goes before one of our own, which is not made', async () => {
    const folder = temporaryFolder();
    const { certPath, keyPath, cert } = makeCertificate(folder, 'brought');
    const files = { SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
    const service = await startTestService({ settings: { HOME: folder, ...SELF_SIGNED, ...files } });
    try {
      expect((await certificateOf(service)).certificate.pem).toBe(cert);
      expect(readdirSync(join(folder, '.robot-rest')).filter((name) => name.startsWith('tls-'))).toEqual([]);
      expect(existsSync(certPath)).toBe(true);
    } finally {
      await service.stop();
    }
  });
});
