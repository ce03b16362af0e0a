import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../../functions/shared/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../../functions/shared/adapters/signing-keys/pem.ts';
import { openMediaMtx } from '../../../functions/shared/adapters/stream-server/media-mtx.ts';
import type { StreamServer } from '../../../functions/shared/adapters/stream-server/port.ts';
import { createLogger } from '../../../functions/shared/logger.ts';
import { tellStreamServer } from '../../../local-host/stream-server-keys.ts';
import { FakeSigningKeys } from '../../support/auth.ts';
import { until } from '../../support/robot-link-contract.ts';
import { startTestService } from '../../support/service.ts';
import { silentLogger } from '../../support/world.ts';

const times = { look: 5, firstRetry: 5, longestRetry: 20 };
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
  const news = tellStreamServer(parts);
  ending.push(() => news.stop());
  return signingKeys;
}

describe('The stream server', () => {
  it('is told to fetch the public keys when the service starts, and again when they change, but not in between', async () => {
    const { asked, port } = await streamServer();
    const keys = tell(`http://127.0.0.1:${port}`);
    await until(() => asked.length === 1);
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/v3/auth/jwks/refresh' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(1);
    keys.ring = new KeyRing([newKey()]);
    await until(() => asked.length === 2);
  });

  it('that no setting names is no part of this service, which says how to make it one', () => {
    expect(() => openMediaMtx(undefined)).toThrow(
      expect.objectContaining({
        code: 'component_unavailable',
        message: expect.stringContaining('SERVICE_MEDIAMTX_API_URL'),
      }),
    );
  });

  it('is told again and again until it has heard', async () => {
    const { asked, port } = await streamServer([500, 401, 404]);
    tell(`http://127.0.0.1:${port}/`);
    await until(() => asked.length === 4);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(4);
  });

  it('that does not answer is left when the service ends, without a word and without another try', async () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
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
    const news = tellStreamServer(parts);
    await until(() => asked === 1);
    news.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ asked, left, lines }).toEqual({ asked: 1, left: true, lines: [] });
  });

  it('gets user and password of its URL as HTTP Basic', async () => {
    const { asked, port } = await streamServer();
    tell(`http://admin:p%40ss@127.0.0.1:${port}`);
    await until(() => asked.length === 1);
    expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('admin:p@ss').toString('base64')}`);
  });

  it('hears of the key of an ephemeral start from the running service, which does not wait for it', async () => {
    const { asked, port } = await streamServer();
    const settings = { SERVICE_JWT_EPHEMERAL: '1', SERVICE_MEDIAMTX_API_URL: `http://127.0.0.1:${port}` };
    const service = await startTestService({ settings });
    ending.push(() => service.stop());
    await until(() => asked.length === 1);
    expect(asked[0]?.url).toBe('/v3/auth/jwks/refresh');
  });

  it('may be away: the service starts, works and ends without it', async () => {
    const settings = { SERVICE_MEDIAMTX_API_URL: 'http://127.0.0.1:1' };
    const service = await startTestService({ settings });
    expect((await service.as('USER', '/api/v1/get/get_language')).status).toBe(200);
    await service.stop();
  });
});
