import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { openMediaMtx } from '../../../../local-host/stream-server/media-mtx.ts';
import type { StreamServer } from '../../../../local-host/stream-server/port.ts';
import { syncStreamServerKeys } from '../../../../local-host/stream-server/stream-server-keys.ts';
import { FakeSigningKeys } from '../../../support/auth.ts';
import { until } from '../../../support/processes.ts';
import { startTestService } from '../../../support/service.ts';
import { loggerInto, silentLogger } from '../../../support/world.ts';

const times = { pollMs: 5, minRetryMs: 5, maxRetryMs: 20 };
const ending: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Stands for the control API of a stream server; `statuses` are its next answers, then 200. */
async function streamServer(statuses: number[] = []) {
  const asked: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'>> = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push({ method, url, headers });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return { asked, port: (server.address() as AddressInfo).port }; // as: a TCP server has no other kind of address
}

function tell(url: string, signingKeys = new FakeSigningKeys()): FakeSigningKeys {
  const parts = { streamServer: openMediaMtx(url), signingKeys, clock: Date.now, logger: silentLogger, times };
  const news = syncStreamServerKeys(parts);
  ending.push(() => news.stop());
  return signingKeys;
}

describe('The stream server', () => {
  it('fetches the public keys at startup and when they change, not in between', async () => {
    const { asked, port } = await streamServer();
    const keys = tell(`http://127.0.0.1:${port}`);
    await until(() => asked.length === 1);
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/v3/auth/jwks/refresh' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(1);
    keys.ring = new KeyRing([newKey()]);
    await until(() => asked.length === 2);
  });

  it('is not used without its setting, and readiness says so', () => {
    expect(() => openMediaMtx(undefined)).toThrow(
      expect.objectContaining({
        code: 'component_unavailable',
        message: expect.stringContaining('SERVICE_MEDIAMTX_API_URL'),
      }),
    );
  });

  it('is notified until it answers', async () => {
    const { asked, port } = await streamServer([500, 401, 404]);
    tell(`http://127.0.0.1:${port}/`);
    await until(() => asked.length === 4);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(4);
  });

  it('is abandoned silently at shutdown when it does not answer', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'warn');
    let asked = 0;
    let left = false;
    const silent: StreamServer = {
      refreshKeys: (signal) =>
        new Promise((_resolve, reject) => {
          asked += 1;
          signal.addEventListener('abort', () => {
            left = true;
            reject(signal.reason);
          });
        }),
    };
    const parts = { streamServer: silent, signingKeys: new FakeSigningKeys(), clock: Date.now, logger, times };
    const news = syncStreamServerKeys(parts);
    await until(() => asked === 1);
    news.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ asked, left, lines }).toEqual({ asked: 1, left: true, lines: [] });
  });

  it('receives the credentials of its URL as HTTP Basic', async () => {
    const { asked, port } = await streamServer();
    tell(`http://admin:p%40ss@127.0.0.1:${port}`);
    await until(() => asked.length === 1);
    expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('admin:p@ss').toString('base64')}`);
  });

  it('learns an ephemeral key from the running service, which does not wait for it', async () => {
    const { asked, port } = await streamServer();
    const settings = { SERVICE_JWT_EPHEMERAL: '1', SERVICE_MEDIAMTX_API_URL: `http://127.0.0.1:${port}` };
    const service = await startTestService({ settings });
    ending.push(() => service.stop());
    await until(() => asked.length === 1);
    expect(asked[0]?.url).toBe('/v3/auth/jwks/refresh');
  });

  it('is optional: the service starts, works and stops without it', async () => {
    const settings = { SERVICE_MEDIAMTX_API_URL: 'http://127.0.0.1:1' };
    const service = await startTestService({ settings });
    expect((await service.as('USER', '/api/v1/get/get_language')).status).toBe(200);
    await service.stop();
  });
});
