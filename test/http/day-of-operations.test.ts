import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { type HttpCall, http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

/** What an operator does without a shell on the robot, over TLS, as docs/deploying.md and docs/database.md say. */
describeWith('openssl', OPENSSL, 'A day of operations over TLS', () => {
  let service: TestService;
  let ca: string;
  let token = '';
  beforeAll(async () => {
    const { certPath, keyPath, cert } = makeCertificate(temporaryFolder(), 'robot');
    ca = cert;
    const tls = { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
    const socket = { SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' };
    service = await startTestService({ settings: { ...tls, ...socket } });
  });
  afterAll(() => service.stop());

  const ask = (path: string, { headers, ...call }: HttpCall = {}, bearer = token) =>
    http(service.tlsUrl, `/api/v2/${path}`, {
      ...call,
      ca,
      headers: { authorization: `Bearer ${bearer}`, ...headers },
    });
  const post = (path: string, body?: unknown, bearer = token) =>
    ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) }, bearer);

  it('begins with a key for the operator, made at the robot', async () => {
    const local = (await http(service.socketPath, '/api/v2/auth/')).json.token;
    const call = { method: 'POST', headers: { authorization: `Bearer ${local}` } };
    const body = { name: 'operator', level: 'ENCHANTER' };
    const { key } = (await http(service.socketPath, '/api/v2/keys/', { ...call, body })).json;
    const { json } = await http(service.tlsUrl, '/api/v2/auth/', { ca, headers: { 'x-api-key': key } });
    expect(json.access_level).toBe('ENCHANTER');
    token = json.token;
  });

  it('pairs a new phone, which reads but does not manage', async () => {
    const { code } = (await post('auth/pairing')).json;
    const phone = (await http(service.tlsUrl, '/api/v2/auth/pair', { method: 'POST', body: { code }, ca })).json.token;
    expect((await ask('commands/', {}, phone)).status).toBe(200);
    expect((await ask('keys/', {}, phone)).json.code).toBe('insufficient_access');
  });

  it('ends a lost key, and all that it gave, in one request', async () => {
    const made = (await post('keys/', { name: 'tablet', level: 'ADMIN' })).json;
    const lost = (await http(service.tlsUrl, '/api/v2/auth/', { ca, headers: { 'x-api-key': made.key } })).json.token;
    const { code } = (await post('auth/pairing', {}, lost)).json;
    const { keys } = (await ask('keys/')).json;
    const { id } = keys.find(({ name }: { name: string }) => name === 'tablet');
    expect((await ask(`keys/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await ask('commands/', {}, lost)).json.code).toBe('key_revoked');
    const late = await http(service.tlsUrl, '/api/v2/auth/pair', { method: 'POST', body: { code }, ca });
    expect(late.json.code).toBe('pairing_code_invalid');
  });

  it("takes in a colleague's CSV, mended after a dry run, and goes back when it was the wrong one", async () => {
    const path = 'database/tables/known_locations_table.csv';
    const put = (body: string, query = '') =>
      ask(`${path}${query}`, { method: 'PUT', body, headers: { 'content-type': 'text/csv' } });
    const snapshot = (await post('database/backups/')).json.backup;
    expect((await put('id,colour\nkitchen,red\n', '?dry_run=true')).json).toMatchObject({
      code: 'invalid_csv',
      detail: expect.stringContaining('line 1, column "colour"'),
    });
    const mended = 'id,color\nkitchen,red\nhall,blue\n';
    expect((await put(mended, '?dry_run=true')).json).toMatchObject({ inserted: 2, backup: null });
    expect((await put(mended)).json.inserted).toBe(2);
    expect((await ask(path)).text).toBe('id,color\r\nhall,blue\r\nkitchen,red\r\n');
    expect((await post('database/restore/', { backup: snapshot })).status).toBe(200);
    expect((await ask(path)).text).toBe('id,color\r\n');
  });

  it('restarts a unit after a look at its log, and reads on where the log was left', async () => {
    const unit = 'service/head/robot-vision.service';
    const { cursor } = (await ask(`${unit}?lines=5`)).json;
    expect((await post(`${unit}/restart`)).json.active_state).toBe('activating');
    await until('the log goes on', async () => {
      const { entries } = (await ask(`${unit}?cursor=${encodeURIComponent(cursor)}`)).json;
      return entries.length > 0;
    });
  });

  it('left its traces in the audit trail, and no secret among them', async () => {
    const { text } = await ask('audit/?limit=1000');
    for (const action of [
      'key.create',
      'key.revoke',
      'pairing.create',
      'pairing.trade',
      'database.upload',
      'database.backup',
      'service.restart',
    ]) {
      expect(text).toContain(`"${action}"`);
    }
    expect(text).not.toMatch(/rk_[\w-]{20}/);
  });
});
