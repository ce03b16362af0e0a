import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { main as apiKey } from '../../local-host/cli/api-key.ts';
import { makeCertificate } from '../support/certificates.ts';
import { http } from '../support/http.ts';
import type { TestService } from '../support/service.ts';
import { ServiceHome } from '../support/service-home.ts';
import { temporaryFolder } from '../support/world.ts';

const KEYS = '/api/v2/keys/';
const home = new ServiceHome();

const create = (service: TestService, body: unknown) => service.as('ENCHANTER', KEYS, { method: 'POST', body });
const revoke = (service: TestService, id: string, query = '') =>
  service.as('ENCHANTER', `${KEYS}${id}${query}`, { method: 'DELETE' });
const keysOf = async (service: TestService) =>
  (await service.as('ENCHANTER', KEYS)).json.keys.filter(({ id }: { id: string }) => !id.startsWith('test-'));
const login = (service: TestService, key: string) =>
  http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': key } });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('API keys over HTTP', () => {
  it('are made, opened with, listed without secret or hash, and end with their tokens when revoked', async () => {
    const service = await home.start();
    const made = await create(service, { name: 'new phone', level: 'ADMIN' });
    expect([made.status, made.headers['cache-control']]).toEqual([201, 'no-store']);
    const { key, ...record } = made.json;
    expect(record).toMatchObject({ name: 'new phone', level: 'ADMIN', revoked_at: null, last_used_at: null });
    const { token, access_level } = (await login(service, key)).json;
    expect(access_level).toBe('ADMIN');

    const minute = new Date(Math.floor(home.now / 60_000) * 60_000).toISOString();
    const listed = await service.as('ENCHANTER', KEYS);
    expect(await keysOf(service)).toEqual([{ ...record, last_used_at: minute }]);
    const kept = readFileSync(join(home.folder, '.robot-rest', 'api-keys.json'), 'utf8');
    const { sha256 } = JSON.parse(kept).keys[0];
    for (const text of [listed.text, kept]) expect(text).not.toContain(key);
    expect(listed.text).not.toContain(sha256);

    const revoked = await revoke(service, record.id);
    expect([revoked.status, revoked.json.id]).toEqual([200, record.id]);
    expect(revoked.json.revoked_at).not.toBeNull();
    expect((await http(service.url, '/api/v2/commands/', { headers: bearer(token) })).json.code).toBe('key_revoked');
    expect((await login(service, key)).json.code).toBe('api_key_invalid');
    expect((await revoke(service, record.id)).json).toEqual(revoked.json);
    expect((await keysOf(await home.restart()))[0]).toMatchObject({ last_used_at: minute });
  });

  it('share their file with the command line', async () => {
    const service = await home.start();
    let printed = '';
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += text;
      return true;
    });
    const byHand = Array.from({ length: 4 }, (_, number) =>
      apiKey(['create', '--name', `cli ${number}`, '--level', 'USER'], { HOME: home.folder }),
    );
    const byHttp = Array.from({ length: 4 }, (_, number) => create(service, { name: `http ${number}`, level: 'USER' }));
    await Promise.all([...byHand, ...byHttp]);
    jest.restoreAllMocks();
    const names = (await keysOf(service)).map(({ name }: { name: string }) => name).sort();
    expect(names).toEqual([0, 1, 2, 3].flatMap((n) => [`cli ${n}`]).concat([0, 1, 2, 3].map((n) => `http ${n}`)));
    expect((await login(service, printed.split('\n')[0] ?? '')).status).toBe(200);
  });

  it('keep one of the last two unlimited ENCHANTER keys when both are revoked at once', async () => {
    const service = await home.start();
    const pair = await Promise.all(['one', 'two'].map((name) => create(service, { name, level: 'ENCHANTER' })));
    await create(service, { name: 'limited', level: 'ENCHANTER', robots: ['elsewhere'] });
    await create(service, { name: 'ends', level: 'ENCHANTER', expires_at: '2999-01-01T00:00:00Z' });
    const answers = await Promise.all(pair.map(({ json }) => revoke(service, json.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [left] = (await keysOf(service)).filter(
      ({ name, revoked_at }: { name: string; revoked_at: unknown }) => /one|two/.test(name) && revoked_at === null,
    );
    expect((await revoke(service, left.id)).json).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('confirm=true'),
    });
    expect((await revoke(service, left.id, '?confirm=true')).status).toBe(200);
  });

  it('are only revoked by their own tokens when that is confirmed', async () => {
    const service = await home.start();
    await create(service, { name: 'another', level: 'ENCHANTER' });
    const own = (await create(service, { name: 'own', level: 'ENCHANTER' })).json;
    const headers = bearer((await login(service, own.key)).json.token);
    const path = `${KEYS}${own.id}`;
    expect((await http(service.url, path, { method: 'DELETE', headers })).json.code).toBe('conflict');
    expect((await http(service.url, `${path}?confirm=true`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await http(service.url, KEYS, { headers })).json.code).toBe('key_revoked');
  });

  it('make no key that reaches further than they do', async () => {
    const service = await home.start({ SERVICE_ROBOT_ID: 'pip' });
    const end = '2998-01-01T00:00:00Z';
    const limits = { name: 'limited', level: 'ENCHANTER', robots: ['pip', 'pop'], expires_at: end };
    const { key } = (await create(service, limits)).json;
    const headers = bearer((await login(service, key)).json.token);
    const make = (body: object) =>
      http(service.url, KEYS, { method: 'POST', headers, body: { name: 'next', level: 'USER', ...body } });
    const within = { robots: ['pop'], expires_at: end };
    expect((await make(within)).status).toBe(201);
    expect((await make({ ...within, level: 'ENCHANTER' })).status).toBe(201);
    for (const body of [
      {},
      { expires_at: end },
      { robots: ['pip'] },
      { ...within, robots: ['pop', 'mop'] },
      { ...within, expires_at: '2998-01-01T00:00:00.001Z' },
    ]) {
      expect((await make(body)).json).toMatchObject({ status: 403, code: 'insufficient_access' });
    }
    for (const level of ['ADMIN', 'USER'] as const) {
      const { json } = await service.as(level, KEYS, { method: 'POST', body: { name: 'x', level: 'USER' } });
      expect(json.code).toBe('insufficient_access');
    }
  });

  it.each<[string, unknown, string]>([
    ['no name', { level: 'USER' }, '/name'],
    ['an empty name', { name: '', level: 'USER' }, '/name'],
    ['a long name', { name: 'x'.repeat(101), level: 'USER' }, '/name'],
    ['a line break in the name', { name: 'a\nb', level: 'USER' }, '/name'],
    ['an unknown level', { name: 'x', level: 'ROOT' }, '/level'],
    ['no robots', { name: 'x', level: 'USER', robots: [] }, '/robots'],
    ['an end in the past', { name: 'x', level: 'USER', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['a hash', { name: 'x', level: 'USER', sha256: 'a'.repeat(64) }, '/sha256'],
  ])('are refused with %s', async (_what, body, pointer) => {
    const service = await home.start();
    expect((await create(service, body)).json).toMatchObject({ status: 422, errors: [{ pointer }] });
    expect(await keysOf(service)).toEqual([]);
  });

  it('are 404 when no key has the id, and 503 when their file is broken or they come from the environment', async () => {
    const service = await home.start();
    expect((await revoke(service, 'none')).json.code).toBe('not_found');
    expect((await revoke(service, 'local')).json.code).toBe('not_found');
    writeFileSync(join(home.folder, '.robot-rest', 'api-keys.json'), '{');
    expect((await create(service, { name: 'x', level: 'USER' })).json.code).toBe('component_unavailable');
    const fixed = await home.restart({ SERVICE_API_KEYS: '{"keys":[]}' });
    expect((await create(fixed, { name: 'x', level: 'USER' })).json.code).toBe('component_unavailable');
  });

  it('are not made on a full disk, where they can still be revoked', async () => {
    const service = await home.start();
    const { id } = (await create(service, { name: 'lost', level: 'USER' })).json;
    const full = await home.restart({ SERVICE_MIN_FREE: '999999999999999' });
    expect((await create(full, { name: 'x', level: 'USER' })).json).toMatchObject({
      status: 507,
      code: 'storage_full',
    });
    expect((await revoke(full, id)).status).toBe(200);
  });
});

describe('A new key on a robot', () => {
  const ROBOT = { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: 'sim:', SERVICE_HOST: '127.0.0.1' };
  const call = async (service: TestService, more: Record<string, string> = {}) => ({
    method: 'POST',
    body: { name: 'x', level: 'USER' },
    headers: { ...bearer(await service.token('ENCHANTER')), ...more },
  });

  it('is sent over TLS and the Unix socket, and refused where others may read it', async () => {
    const { certPath, keyPath, cert } = makeCertificate(temporaryFolder(), 'robot');
    const tls = { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
    const service = await home.start({ ...ROBOT, ...tls });
    for (const more of [{}, { 'x-forwarded-proto': 'https' }]) {
      const { json } = await http(service.url, KEYS, await call(service, more));
      expect([json.status, json.code]).toEqual([403, 'secure_channel_required']);
    }
    expect(await keysOf(service)).toEqual([]);
    expect((await http(service.tlsUrl, KEYS, { ...(await call(service)), ca: cert })).status).toBe(201);
    expect((await http(service.socketPath, KEYS, await call(service))).status).toBe(201);
    const admin = await service.as('ADMIN', KEYS, { method: 'POST', body: { name: 'x', level: 'USER' } });
    expect(admin.json.code).toBe('insufficient_access');
    const { id } = (await keysOf(service))[0];
    expect((await revoke(service, id)).status).toBe(200);
  });

  it('is sent through a trusted proxy that was reached over TLS, and in plain when the operator wants it', async () => {
    const service = await home.start({ ...ROBOT, SERVICE_TRUSTED_PROXY: '127.0.0.1' });
    const over = async (proto: string) =>
      (await http(service.url, KEYS, await call(service, { 'x-forwarded-proto': proto }))).status;
    expect([
      await over('https'),
      await over('HTTPS'),
      await over('http'),
      await over('https, http'),
      await over(''),
    ]).toEqual([201, 201, 403, 403, 403]);
    const plain = await home.restart({ ...ROBOT, SERVICE_ALLOW_PLAIN_SECRETS: '1' });
    expect((await http(plain.url, KEYS, await call(plain))).status).toBe(201);
  });
});
