import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { certificateOf, SELF_SIGNED, shownOn, tlsPart } from '../support/self-signed.ts';
import { startTestService } from '../support/service.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/world.ts';

const OFTEN = { certificateCheckMs: 50 };

describe('Without a good certificate of its own', () => {
  const home = () => {
    const folder = temporaryFolder();
    return { folder, data: join(folder, '.robot-rest') };
  };

  it('the service starts without TLS, names the file, and opens TLS once that was removed', async () => {
    const { folder, data } = home();
    await (await startTestService({ settings: { HOME: folder, ...SELF_SIGNED } })).stop();
    writeFileSync(join(data, 'tls-key.pem'), 'hello');
    const settings = { HOME: folder, ...SELF_SIGNED, SERVICE_STOP_PORT: '0' };
    const service = await startTestService({ settings, limits: OFTEN });
    try {
      expect(service.tlsUrl).toBe('');
      const { ok, reason } = await tlsPart(service);
      expect([ok, reason]).toEqual([
        false,
        expect.stringContaining('tls-key.pem in the data folder: it contains no PEM'),
      ]);
      expect(reason).not.toContain(folder);
      expect(await certificateOf(service)).toEqual({ port: null, certificate: null });
      expect(readFileSync(join(data, 'tls-key.pem'), 'utf8')).toBe('hello');
      rmSync(join(data, 'tls-key.pem'));
      await until('TLS is open', async () => (await tlsPart(service)).ok);
      const { port, certificate } = await certificateOf(service);
      expect(await shownOn(port)).toBe(certificate.sha256);
      const { stop } = (await http(service.url, '/status')).json;
      expect(await shownOn(stop.tls_port)).toBe(certificate.sha256);
    } finally {
      await service.stop();
    }
  });

  it('a renewed one is served without a restart, and connections go on', async () => {
    const { folder, data } = home();
    const service = await startTestService({ settings: { HOME: folder, ...SELF_SIGNED }, limits: OFTEN });
    try {
      const { port, certificate } = await certificateOf(service);
      const open = connect({ host: '127.0.0.1', port, ca: certificate.pem });
      await once(open, 'secureConnect');
      rmSync(join(data, 'tls-certificate.pem'));
      await until('another certificate', async () => (await shownOn(port)) !== certificate.sha256);
      expect((await certificateOf(service)).certificate.public_key_sha256).toBe(certificate.public_key_sha256);
      open.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      const [answer] = (await once(open, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/);
      open.destroy();
    } finally {
      await service.stop();
    }
  });

  it('or with its port taken, the service starts, and opens TLS once the port is free', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number }; // as: a TCP server has no other kind of address
    const settings = { ...SELF_SIGNED, SERVICE_TLS_PORT: String(port), SERVICE_STOP_PORT: '' };
    const service = await startTestService({ settings, limits: OFTEN });
    try {
      expect((await tlsPart(service)).reason).toContain(`Port ${port} on 127.0.0.1 is already in use.`);
      blocker.close();
      await until('TLS is open', async () => (await tlsPart(service)).ok);
      expect(await shownOn(port)).toBe((await certificateOf(service)).certificate.sha256);
    } finally {
      await service.stop();
    }
  });
});

describeOnDisks('On a disk that takes nothing more', (mount) => {
  it.each([
    ['full', 'the disk is full'],
    ['read-only', 'EROFS'],
  ])('(%s) the service starts without TLS, leaves nothing half written, and opens TLS later', async (kind, reason) => {
    const disk = mount(32 * 1024 ** 2);
    const data = join(disk.folder, 'data');
    const settings = { SERVICE_DATA_DIR: data, SERVICE_MIN_FREE: '0' };
    await (await startTestService({ settings })).stop();
    if (kind === 'full') disk.fill();
    else disk.makeReadOnly();
    const service = await startTestService({ settings: { ...settings, ...SELF_SIGNED }, limits: OFTEN });
    try {
      expect((await tlsPart(service)).reason).toContain(`tls-key.pem in the data folder: `);
      expect((await tlsPart(service)).reason).toContain(reason);
      expect(readdirSync(data).filter((name) => name.includes('tls-'))).toEqual([]);
      expect((await service.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
      if (kind === 'full') disk.free();
      else disk.makeWritable();
      await until('TLS is open', async () => (await tlsPart(service)).ok);
      const { port, certificate } = await certificateOf(service);
      expect(await shownOn(port)).toBe(certificate.sha256);
      expect(existsSync(join(data, 'tls-key.pem'))).toBe(true);
    } finally {
      await service.stop();
    }
  });
});
