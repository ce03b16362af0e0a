import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  prepareSocketGeneration,
  socketGenerationPath,
} from '../../functions/shared/identity/adapters/revocations/socket-generation.ts';
import { main as apiKey } from '../../local-host/cli/api-key.ts';
import { http } from '../support/http.ts';
import type { TestService } from '../support/service.ts';
import { ServiceHome } from '../support/service-home.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { testConfig } from '../support/world.ts';

const home = new ServiceHome();
beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const login = async ({ socketPath }: TestService): Promise<string> =>
  (await http(socketPath, '/api/v2/auth/')).json.token;

/** The outcome of a request over TCP. */
async function using({ url }: TestService, token: string, path = '/api/v2/commands/') {
  const method = path.endsWith('/stop') ? 'POST' : 'GET';
  const { status, json } = await http(url, path, { method, headers: { authorization: `Bearer ${token}` } });
  return json.code ?? status;
}

const revokeLocal = (settings: Record<string, string> = {}) =>
  apiKey(['revoke', '--id', 'local'], { HOME: home.folder, ...settings });

describe('A token minted over the Unix socket', () => {
  it('is good over TCP after a restart with the same settings', async () => {
    const token = await login(await home.start());
    expect(await using(await home.restart(), token)).toBe(200);
  });

  it.each([
    ['the socket is turned off', { SERVICE_SOCKET_PATH: '' }],
    ['its level is lowered', { SERVICE_SOCKET_ACCESS_LEVEL: 'USER' }],
  ])('ends when %s', async (_what, settings: Record<string, string>) => {
    const token = await login(await home.start());
    const after = await home.restart(settings);
    expect(await using(after, token)).toBe('key_revoked');
    expect(await using(after, token, '/api/v2/stop')).toBe('key_revoked');
    expect(await using(await home.restart(), token)).toBe(200);
  });

  it('stays good when the level of the socket is raised, with its own level', async () => {
    const token = await login(await home.start());
    const after = await home.restart({ SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
    expect(await using(after, token)).toBe(200);
    expect(await using(after, token, '/api/v2/audit/')).toBe('insufficient_access');
  });

  it('stays good when the socket cannot be bound', async () => {
    const token = await login(await home.start());
    const path = join(home.folder, 'taken.sock');
    writeFileSync(path, '');
    const after = await home.restart({ SERVICE_SOCKET_PATH: path });
    expect(after.socketPath).toBe('');
    expect(await using(after, token)).toBe(200);
  });

  it('can be refreshed over the socket only', async () => {
    const service = await home.start();
    const token = await login(service);
    const headers = { authorization: `Bearer ${token}` };
    expect(await http(service.url, '/api/v2/auth/refresh/', { headers })).toMatchObject({
      status: 403,
      json: { code: 'insufficient_access', detail: expect.stringContaining('over the Unix socket') },
    });
    const refreshed = await http(service.socketPath, '/api/v2/auth/refresh/', { headers });
    expect(refreshed.status).toBe(200);
    expect(await using(service, refreshed.json.token)).toBe(200);
  });

  it('ends when they are revoked, and new ones are good', async () => {
    const service = await home.start();
    const token = await login(service);
    expect(await using(service, token)).toBe(200);
    expect(await revokeLocal()).toBe(0);
    home.now += 1_000;
    expect(await using(service, token)).toBe('key_revoked');
    expect(await using(service, token, '/api/v2/stop')).toBe('key_revoked');
    const next = await login(service);
    expect(await using(service, next)).toBe(200);
    expect(await using(await home.restart(), token)).toBe('key_revoked');
    const again = await home.restart();
    expect(await using(again, next)).toBe(200);
    expect(await revokeLocal()).toBe(0);
    home.now += 1_000;
    expect(await using(again, next)).toBe('key_revoked');
  });

  it('issued while the clock was ahead does not come back to life after they were revoked', async () => {
    const service = await home.start();
    home.now += 600_000;
    const ahead = await login(service);
    home.now -= 600_000;
    expect(await using(service, ahead)).toBe('token_invalid');
    expect(await revokeLocal()).toBe(0);
    home.now += 601_000;
    expect(await using(service, ahead)).toBe('key_revoked');
  });

  it('ends when the file that tells good ones is damaged, and new ones are good', async () => {
    const token = await login(await home.start());
    writeFileSync(socketGenerationPath(testConfig({ HOME: home.folder })), 'x');
    const after = await home.restart();
    expect(await using(after, token)).toBe('key_revoked');
    expect(await using(after, await login(after))).toBe(200);
    expect(await revokeLocal()).toBe(0);
    home.now += 1_000;
    expect(await using(after, await login(after))).toBe(200);
  });

  it('can also be revoked where API keys come from the environment', async () => {
    const settings = { SERVICE_API_KEYS: '{"keys":[]}' };
    const service = await home.start(settings);
    const token = await login(service);
    expect(await revokeLocal(settings)).toBe(0);
    home.now += 1_000;
    expect(await using(service, token)).toBe('key_revoked');
  });
});

describeOnDisks('On a full disk, tokens minted over the Unix socket', (mount) => {
  it('can be revoked', async () => {
    const disk = mount(4 * 1024 * 1024);
    const settings = { SERVICE_DATA_DIR: disk.folder };
    await prepareSocketGeneration(socketGenerationPath(testConfig({ HOME: home.folder, ...settings })));
    const service = await home.start(settings);
    const token = await login(service);
    disk.fill();
    for (let times = 0; times < 3; times += 1) expect(await revokeLocal(settings)).toBe(0);
    home.now += 1_000;
    expect(await using(service, token)).toBe('key_revoked');
    expect(await using(service, await login(service))).toBe(200);
  });
});
