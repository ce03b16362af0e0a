import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PairingCodes } from '../../functions/auth/pairing-codes.ts';
import { pairingCodes } from '../../functions/auth/ports.ts';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { main as apiKey } from '../../local-host/cli/api-key.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { type HttpCall, http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const PAIRING = '/api/v2/auth/pairing';
const keys = new FakeKeyStore();
let service: TestService;
let now = 0;
let homeFolder = '';
/** How far the clock of the service is ahead, in ms. */
let ahead = 0;

async function start(settings: Record<string, string> = {}) {
  keys.records = [keyRecord('k1', 'ADMIN'), keyRecord('boss', 'ENCHANTER'), keyRecord('phone', 'USER')];
  now = 0;
  ahead = 0;
  homeFolder = temporaryFolder();
  service = await startTestService({
    settings: { HOME: homeFolder, ...settings },
    clock: () => Date.now() + ahead,
    given: [give(keyStore, keys), give(pairingCodes, new PairingCodes(() => now))],
  });
}
afterEach(async () => {
  jest.restoreAllMocks();
  await service.stop();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const login = async (key: string, base = service.url): Promise<string> =>
  (await http(base, '/api/v2/auth/', { headers: { 'x-api-key': key } })).json.token;
const code = async (token: string, body?: unknown, base = service.url) =>
  http(base, PAIRING, { method: 'POST', headers: bearer(token), ...(body === undefined ? {} : { body }) });
const trade = (value: unknown, more: HttpCall = {}) =>
  http(service.url, '/api/v2/auth/pair', { method: 'POST', body: { code: value }, ...more });
const use = (token: string, path = '/api/v2/commands/') => http(service.url, path, { headers: bearer(token) });

describe('Pairing', () => {
  it('gives another device a token of its own, of the key and the session of who paired it', async () => {
    await start({ SERVICE_SESSION_MAX_HOURS: '168' });
    const own = await login('rk_k1');
    const made = await code(own);
    expect([made.status, made.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(Buffer.from(made.json.code, 'base64url')).toHaveLength(16);
    expect(Math.abs(Date.parse(made.json.expires_at) - Date.now() - 60_000)).toBeLessThan(30_000);

    const { status, json, headers } = await trade(made.json.code);
    expect([status, json.access_level, headers.authorization]).toEqual([200, 'USER', `Bearer ${json.token}`]);
    const [mine, its] = [claims(own), claims(json.token)];
    expect(its).toMatchObject({ key_id: 'k1', auth_time: mine.auth_time, access_level: 'USER' });
    expect(its.client_id).not.toBe(mine.client_id);
    expect((await use(json.token)).status).toBe(200);
    expect((await use(json.token, '/api/v2/audit/')).json.code).toBe('insufficient_access');
    expect((await use(json.token, '/api/v2/auth/refresh/')).status).toBe(200);

    keys.records = keys.records.map((key) => (key.id === 'k1' ? { ...key, revoked_at: '2027-01-02T00:00:00Z' } : key));
    expect((await use(json.token)).json.code).toBe('key_revoked');
  });

  it('is good once, for a minute, and for four codes of a key at a time', async () => {
    await start();
    const own = await login('rk_k1');
    const codes: string[] = [];
    for (let count = 0; count < 5; count += 1) codes.push((await code(own)).json.code);
    const others = (await code(await login('rk_boss'))).json.code;
    expect((await trade(codes[0])).json.code).toBe('pairing_code_invalid');
    const [first, second] = await Promise.all([trade(codes[1]), trade(codes[1])]);
    expect([first.status, second.status].sort()).toEqual([200, 401]);
    now = 59_999;
    expect((await trade(codes[2])).status).toBe(200);
    now = 60_000;
    expect((await trade(codes[3])).json.code).toBe('pairing_code_invalid');
    expect((await trade(others)).json.code).toBe('pairing_code_invalid');
  });

  it('gives at most the level of who asks', async () => {
    await start();
    const own = await login('rk_k1');
    expect((await code(own, { level: 'ENCHANTER' })).json.code).toBe('insufficient_access');
    const { json } = await trade((await code(own, { level: 'ADMIN' })).json.code);
    expect(json.access_level).toBe('ADMIN');
    const paired = (await trade((await code(own)).json.code)).json.token;
    expect((await code(paired, { level: 'ADMIN' })).json.code).toBe('insufficient_access');
    expect((await code(own, { level: 'USER', key: 'boss' })).json.errors[0].pointer).toBe('/key');
  });

  it('ends with the key, its level, or the session of who paired', async () => {
    await start();
    const own = await login('rk_boss');
    const codes = [(await code(own, { level: 'ADMIN' })).json.code, (await code(own)).json.code];
    const before = keys.records;
    keys.records = before.map((key) => (key.id === 'boss' ? { ...key, level: 'USER' as const } : key));
    expect((await trade(codes[0])).json.code).toBe('pairing_code_invalid');
    keys.records = before;
    await http(service.url, '/api/v2/auth/logout', { method: 'POST', headers: bearer(own) });
    expect((await trade(codes[1])).json.code).toBe('pairing_code_invalid');
  });

  it('counts wrong codes together with wrong keys, and never refuses a right one for them', async () => {
    await start();
    const right = (await code(await login('rk_k1'))).json.code;
    const guesses: number[] = [];
    for (let count = 0; count < 3; count += 1) guesses.push((await trade(`guess-${count}`)).status);
    for (let count = 0; count < 2; count += 1) {
      guesses.push((await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': `rk_${count}` } })).status);
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401]);
    const more = await trade('one more');
    expect([more.status, more.json.code, Number(more.headers['retry-after']) > 0]).toEqual([429, 'rate_limited', true]);
    expect((await trade(right)).status).toBe(200);
  });

  it.each([{}, { code: 7 }, { code: 'x'.repeat(257) }, { code: 'x', level: 'ADMIN' }])('refuses %j', async (body) => {
    await start();
    expect((await trade('', { body })).status).toBe(422);
  });
});

describe('Pairing over the Unix socket', () => {
  it('binds the token to the socket, or to a key that is named', async () => {
    await start();
    const own = await login('', service.socketPath);
    const bound = (await trade((await code(own, undefined, service.socketPath)).json.code)).json;
    expect(claims(bound.token).key_id).toBe('local');
    expect((await use(bound.token)).status).toBe(200);
    expect((await use(bound.token, '/api/v2/auth/refresh/')).json.code).toBe('insufficient_access');

    const named = (await code(own, { key: 'phone' }, service.socketPath)).json.code;
    const { token } = (await trade(named)).json;
    expect(claims(token)).toMatchObject({ key_id: 'phone', access_level: 'USER' });
    expect((await use(token, '/api/v2/auth/refresh/')).status).toBe(200);
    for (const body of [{ key: 'phone', level: 'ADMIN' }, { key: 'none' }]) {
      expect((await code(own, body, service.socketPath)).json.errors[0].pointer).toBe('/key');
    }
    expect((await code(own, { key: 'phone' })).json.errors[0].pointer).toBe('/key');
  });

  it('ends when the tokens of the socket are revoked', async () => {
    await start();
    const own = await login('', service.socketPath);
    const made = (await code(own, undefined, service.socketPath)).json.code;
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await apiKey(['revoke', '--id', 'local'], { HOME: homeFolder })).toBe(0);
    jest.restoreAllMocks();
    ahead += 1_000; // the file is looked at every half second
    expect((await trade(made)).json.code).toBe('pairing_code_invalid');
  });
});
