import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as authenticateV1 from '../../../functions/auth/authenticate-v1.handler.ts';
import * as authenticateV2 from '../../../functions/auth/authenticate-v2.handler.ts';
import * as refreshToken from '../../../functions/auth/refresh-token.handler.ts';
import { keyStore } from '../../../functions/shared/identity/ports.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { NO_METRICS } from '../../../functions/shared/observability/metrics.port.ts';
import { metrics } from '../../../functions/shared/observability/ports.ts';
import { give, type Ports } from '../../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord, NOON } from '../../support/auth.ts';
import { type Answer, invoke } from '../../support/invoke.ts';
import { testConfig, testPorts } from '../../support/world.ts';

const VERSIONS = [
  ['v1', authenticateV1.handler],
  ['v2', authenticateV2.handler],
] as const;
const RECORDS = [keyRecord('user', 'USER'), keyRecord('admin', 'ADMIN'), keyRecord('magus', 'ENCHANTER')];

let ports: Ports;
let log: string[];
let minted: string[];

beforeEach(() => {
  log = [];
  minted = [];
  ports = testPorts({
    clock: () => NOON,
    logger: createLogger('info', { write: (line: string) => log.push(line) }),
    given: [
      give(keyStore, new FakeKeyStore(RECORDS)),
      give(metrics, { ...NO_METRICS, tokenMinted: (kind) => minted.push(kind) }),
    ],
  });
});

const claimsOf = ({ body }: Answer) => decodeJwt(body.token);
const publishing = ({ body }: Answer) =>
  (decodeJwt(body.token).mediamtx_permissions as { action: string }[]).some(({ action }) => action === 'publish'); // as: our own claim

describe.each(VERSIONS)('GET /api/%s/auth/', (_version, handler) => {
  it.each([
    ['user', 'USER'],
    ['admin', 'ADMIN'],
    ['magus', 'ENCHANTER'],
  ])('trades the key "%s" for a token of level %s', async (id, level) => {
    const answer = await invoke(handler, { ports, headers: { 'x-api-key': `rk_${id}` } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      access_level: level,
      token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 1800,
      expires_at: '2027-03-01T12:30:00.000Z',
    });
    expect(answer.headers).toMatchObject({
      authorization: `Bearer ${answer.body.token}`,
      'cache-control': 'no-store',
      'content-type': 'application/json',
    });
    expect(claimsOf(answer)).toMatchObject({ client_id: answer.body.client_id, key_id: id });
    expect(publishing(answer)).toBe(false);
  });

  it.each([
    ['no key', {}, 'missing_api_key'],
    ['an empty key', { 'x-api-key': '' }, 'missing_api_key'],
    ['a wrong key', { 'x-api-key': 'rk_wrong' }, 'api_key_invalid'],
  ])('refuses %s', async (_name, headers, code) => {
    const answer = await invoke(handler, { ports, headers });
    expect([answer.status, answer.body.code]).toEqual([401, code]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(answer.headers.authorization).toBeUndefined();
  });

  it('needs no key over the Unix socket and ignores one that is sent', async () => {
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': 'rk_magus' }, { 'x-api-key': 'rk_wrong' }]) {
      const answer = await invoke(handler, { ports, listener: 'socket', headers });
      expect([answer.status, answer.body.access_level]).toEqual([200, 'ADMIN']);
      expect(claimsOf(answer).key_id).toBe('local');
    }
  });

  it('refuses a prefetch', async () => {
    const headers = { 'x-api-key': 'rk_admin', 'sec-purpose': 'prefetch' };
    expect((await invoke(handler, { ports, headers })).status).toBe(403);
    expect(minted).toEqual([]);
  });

  it('records and counts each token, but never the token or the key itself', async () => {
    const { body } = await invoke(handler, { ports, headers: { 'x-api-key': 'rk_user' } });
    expect(log.join('')).toMatch(new RegExp(`"key_id":"user","client_id":"${body.client_id}".*"msg":"token issued"`));
    expect(log.join('')).not.toContain(body.token);
    expect(log.join('')).not.toContain('rk_user');
    expect(minted).toEqual(['auth']);
  });
});

describe('GET /api/v1/auth/', () => {
  it.each([{ username: 'ann' }, { mediamtx_publish: 'true' }])('knows no %p', async (query) => {
    const answer = await invoke(authenticateV1.handler, { ports, headers: { 'x-api-key': 'rk_admin' }, query });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
  });
});

describe('GET /api/v2/auth/', () => {
  const ask = (query: Record<string, string>, id = 'admin') =>
    invoke(authenticateV2.handler, { ports, headers: { 'x-api-key': `rk_${id}` }, query });

  it('puts the claimed username into the token', async () => {
    expect(claimsOf(await ask({ username: 'ann.b_c@example-1.org' })).username).toBe('ann.b_c@example-1.org');
  });

  it.each([
    [{ username: '' }, 'query:username'],
    [{ username: 'a b' }, 'query:username'],
    [{ username: 'a'.repeat(49) }, 'query:username'],
    [{ username: 'ä' }, 'query:username'],
    [{ mediamtx_publish: 'yes' }, 'query:mediamtx_publish'],
    [{ mediamtx_publish: '' }, 'query:mediamtx_publish'],
    [{ role: 'ENCHANTER' }, 'query:role'],
  ])('refuses %p', async (query, pointer) => {
    const answer = await ask(query as Record<string, string>); // as: rows of the table have different names
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      422,
      'validation_failed',
      pointer,
    ]);
  });

  it.each(['admin', 'magus'])('gives, records and counts a publisher token for the key "%s"', async (id) => {
    const answer = await ask({ mediamtx_publish: 'true', username: 'camera' }, id);
    expect(publishing(answer)).toBe(true);
    expect(log.join('')).toMatch(/"kind":"publisher","key_id":"\w+","username":"camera","client_id":/);
    expect(minted).toEqual(['publisher']);
  });

  it('refuses a publisher token to a USER key, which still gets a plain one', async () => {
    const answer = await ask({ mediamtx_publish: 'true' }, 'user');
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_access']);
    expect(answer.body.detail).toMatch(/ENCHANTER or ADMIN/);
    expect(publishing(await ask({ mediamtx_publish: 'false' }, 'user'))).toBe(false);
  });

  it('gives a publisher token over the Unix socket at any level', async () => {
    const lowly = testPorts({ clock: () => NOON, config: testConfig({ SERVICE_SOCKET_ACCESS_LEVEL: 'USER' }) });
    const answer = await invoke(authenticateV2.handler, {
      ports: lowly,
      listener: 'socket',
      query: { mediamtx_publish: 'true' },
    });
    expect([answer.body.access_level, publishing(answer)]).toEqual(['USER', true]);
  });
});

describe('GET /api/v2/auth/refresh/', () => {
  const refresh = (authorization: string) => invoke(refreshToken.handler, { ports, headers: { authorization } });

  it('keeps client, level, username, permissions and key under a new id', async () => {
    const first = await invoke(authenticateV2.handler, {
      ports,
      headers: { 'x-api-key': 'rk_admin' },
      query: { username: 'camera', mediamtx_publish: 'true' },
    });
    const second = await refresh(first.headers.authorization ?? '');
    expect(second.status).toBe(200);
    const { jti, ...kept } = claimsOf(first);
    expect(claimsOf(second)).toEqual({ ...kept, jti: expect.any(String) });
    expect(claimsOf(second).jti).not.toBe(jti);
    expect(second.headers).toMatchObject({ authorization: `Bearer ${second.body.token}`, 'cache-control': 'no-store' });
    expect(minted).toEqual(['publisher', 'refresh']);
  });

  it.each([
    ['', 'missing_token'],
    ['Bearer', 'token_invalid'],
    ['Basic YTpi', 'token_invalid'],
    ['Bearer a.b.c', 'token_invalid'],
    ['rk_admin', 'token_invalid'],
  ])('refuses the header %p', async (authorization, code) => {
    const answer = await refresh(authorization);
    expect([answer.status, answer.body.code]).toEqual([401, code]);
  });

  it('ignores a token in the URL', async () => {
    const { body } = await invoke(authenticateV2.handler, { ports, listener: 'socket' });
    const answer = await invoke(refreshToken.handler, { ports, query: { jwt: body.token } });
    expect([answer.status, answer.body.code]).toEqual([401, 'missing_token']);
  });
});
