import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type HttpCall, http } from '../support/http.ts';
import type { TestService } from '../support/service.ts';
import { ServiceHome } from '../support/service-home.ts';
import { describeOnDisks } from '../support/small-disk.ts';

const LOGOUT = '/api/v2/auth/logout';
const CATALOGUE = '/api/v2/commands/';

const home = new ServiceHome();

/** A token of a client of its own. */
async function login(service: TestService): Promise<string> {
  const { json } = await http(service.socketPath, '/api/v2/auth/');
  return json.token;
}

const withToken = ({ url }: TestService, token: string, path: string, call: HttpCall = {}) =>
  http(url, path, { ...call, headers: { authorization: `Bearer ${token}` } });
const logout = (service: TestService, token: string) => withToken(service, token, LOGOUT, { method: 'POST' });
const codes = async (service: TestService, tokens: readonly string[]) =>
  Promise.all(tokens.map(async (token) => (await withToken(service, token, CATALOGUE)).json.code));

describe('POST /api/v2/auth/logout', () => {
  it('ends every token of the client on every route but stop, and no other token', async () => {
    const service = await home.start();
    const first = await login(service);
    const other = await login(service);
    const { json: refreshed } = await http(service.socketPath, '/api/v2/auth/refresh/', {
      headers: { authorization: `Bearer ${first}` },
    });
    const { status, json } = await logout(service, first);
    expect([status, json]).toEqual([200, { client_id: refreshed.client_id, logged_out: true }]);
    for (const token of [first, refreshed.token]) {
      for (const [method, path] of [
        ['GET', CATALOGUE],
        ['GET', '/api/v2/auth/refresh/'],
        ['POST', LOGOUT],
        ['GET', '/api/v1/volume/'],
        ['GET', '/api/v2/skill/list/'],
      ] as const) {
        const answer = await withToken(service, token, path, { method });
        expect([path, answer.status, answer.json.code]).toEqual([path, 401, 'token_invalid']);
      }
      expect((await withToken(service, token, '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    }
    expect((await withToken(service, other, CATALOGUE)).status).toBe(200);
  });

  it('lasts over a restart', async () => {
    const before = await home.start();
    const [ended, kept] = [await login(before), await login(before)];
    expect((await logout(before, ended)).status).toBe(200);
    await home.stop(before);
    const after = await home.start();
    expect(await codes(after, [ended, kept])).toEqual(['token_invalid', undefined]);
    expect((await withToken(after, ended, '/api/v2/stop', { method: 'POST' })).status).toBe(200);
  });

  it('loses none of many at the same time', async () => {
    const service = await home.start();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => login(service)));
    const answers = await Promise.all(tokens.map((token) => logout(service, token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await home.stop(service);
    expect(await codes(await home.start(), tokens)).toEqual(Array(20).fill('token_invalid'));
  });

  it('may come twice at the same time, and with a refresh, whose token ends as well', async () => {
    const service = await home.start();
    const token = await login(service);
    const refreshing = http(service.socketPath, '/api/v2/auth/refresh/', {
      headers: { authorization: `Bearer ${token}` },
    });
    const [first, second, refreshed] = await Promise.all([logout(service, token), logout(service, token), refreshing]);
    for (const { status } of [first, second, refreshed]) expect([200, 401]).toContain(status);
    expect([first.status, second.status]).toContain(200);
    const left = refreshed.status === 200 ? [refreshed.json.token] : [];
    expect(new Set(await codes(service, [token, ...left]))).toEqual(new Set(['token_invalid']));
  });

  it('counts for another service on the same data folder within a second', async () => {
    const [one, two] = [await home.start(), await home.start({ SERVICE_SOCKET_PATH: join(home.folder, 'two.sock') })];
    const token = await login(one);
    expect(await codes(two, [token])).toEqual([undefined]);
    await logout(one, token);
    home.now += 1_000;
    expect(await codes(two, [token])).toEqual(['token_invalid']);
  });

  it('is not undone by a clock that is set forward and back again', async () => {
    const service = await home.start();
    const [token, other] = [await login(service), await login(service)];
    await logout(service, token);
    home.now += 24 * 3_600_000;
    expect((await logout(service, await login(service))).status).toBe(200);
    home.now -= 24 * 3_600_000;
    expect(await codes(service, [token, other])).toEqual(['token_invalid', undefined]);
    await home.stop(service);
    expect(await codes(await home.start(), [token])).toEqual(['token_invalid']);
  });

  it('refuses all earlier tokens when what was kept of it is damaged', async () => {
    const before = await home.start();
    const [ended, kept] = [await login(before), await login(before)];
    await logout(before, ended);
    await home.stop(before);
    writeFileSync(join(home.folder, '.robot-rest', 'logged-out.json'), '{"clients":[');
    home.now += 2_000;
    const damaged = await home.start();
    expect(await codes(damaged, [ended, kept])).toEqual(['token_invalid', 'token_invalid']);
    home.now += 2_000;
    const fresh = await login(damaged);
    expect((await logout(damaged, await login(damaged))).status).toBe(200);
    await home.stop(damaged);
    expect(await codes(await home.start(), [ended, kept, fresh])).toEqual([
      'token_invalid',
      'token_invalid',
      undefined,
    ]);
  });

  it('that cannot be kept is refused and ends nothing', async () => {
    const service = await home.start();
    const token = await login(service);
    mkdirSync(join(home.folder, '.robot-rest', 'logged-out.json'));
    expect(await logout(service, token)).toMatchObject({
      status: 503,
      json: { code: 'component_unavailable', detail: expect.stringContaining('the tokens stay valid') },
    });
    expect(await codes(service, [token])).toEqual([undefined]);
  });

  it('is recorded in the audit trail', async () => {
    const service = await home.start();
    await logout(service, await login(service));
    const { json } = await service.as('ENCHANTER', '/api/v2/audit/?action=token.logout');
    expect(json.entries).toMatchObject([{ action: 'token.logout', key_id: 'local', outcome: 'ok' }]);
  });
});

describeOnDisks('A logout on a full disk', (mount) => {
  it('is refused and ends nothing, and works once there is room', async () => {
    const disk = mount(4 * 1024 * 1024);
    const service = await home.start({ SERVICE_DATA_DIR: disk.folder });
    const [token, other] = [await login(service), await login(service)];
    expect((await logout(service, other)).status).toBe(200);
    disk.fill();
    expect(await logout(service, token)).toMatchObject({
      status: 507,
      json: { code: 'storage_full', detail: expect.stringContaining('the tokens stay valid') },
    });
    expect(await codes(service, [token, other])).toEqual([undefined, 'token_invalid']);
    disk.free();
    expect((await logout(service, token)).status).toBe(200);
    await home.stop(service);
    const after = await home.start({ SERVICE_DATA_DIR: disk.folder });
    expect(await codes(after, [token, other])).toEqual(['token_invalid', 'token_invalid']);
  });
});
