import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { freshEnvironment, runToEnd, type ServiceProcess, startProcess } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function trail(query = ''): Promise<Array<Record<string, unknown>>> {
  return (await service.as('ENCHANTER', `/api/v2/audit/${query}`)).json.entries;
}

describe('The audit trail', () => {
  it('records actions with who, what, from where and the outcome, but no queries', async () => {
    const post = (path: string, body: unknown) =>
      service.as('USER', path, { method: 'POST', body, headers: { 'x-request-id': 'audited-1' } });
    await service.as('USER', '/api/v1/get/get_language');
    await post('/api/v1/int/', { command: 'sound_level', value: 30 });
    await post('/api/v2/commands/sound_level/', { value: 400 });
    await post('/api/v2/stop', undefined);
    const [stop, refused, done, ...others] = await trail();
    expect(others).toEqual([]);
    expect(done).toMatchObject({
      action: 'command',
      subject: { command: 'sound_level', value: 30 },
      key_id: 'test-USER',
      address: '127.0.0.1',
      listener: 'tcp',
      outcome: 'ok',
      request_id: 'audited-1',
      service_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(refused).toMatchObject({ subject: { command: 'sound_level', value: 400 }, outcome: 'validation_failed' });
    expect(stop).toMatchObject({ subject: { command: 'stop' }, outcome: 'ok' });
  });

  it('records which actions the robot declined', async () => {
    const post = (command: string, value: unknown) =>
      service.as('USER', `/api/v2/commands/${command}/`, { method: 'POST', body: { value } });
    expect((await post('skill', { name: 'fly' })).json).toMatchObject({ ok: false, result: { called: false } });
    await post('wait_for_skill', 'nobody');
    const [entry, ...others] = await trail('?outcome=declined');
    expect(entry).toMatchObject({ subject: { command: 'skill' }, outcome: 'declined' });
    expect(others).toEqual([]);
  });

  it('records row changes and exports with table, key and columns, but no values', async () => {
    const send = (method: string, path: string, body: unknown) =>
      service.as('USER', `/api/v2/database/${path}/`, { method, body });
    const item = { id: 7, name: 'confidential' };
    await send('POST', 'add_item', { tablename: 'robots_table', item: { ...item, id: undefined } });
    await send('POST', 'add_item', { tablename: 'robots_table', item });
    await send('PUT', 'update_item', {
      tablename: 'robots_table',
      item: { id: 7 },
      attribute: 'color',
      new_value: 'confidential',
    });
    await send('POST', 'export_table', { tablename: 'robots_table', path: 'x.csv' });
    await send('DELETE', 'delete_item', { tablename: 'robots_table', item: { id: 7 } });
    await send('DELETE', 'delete_item', { tablename: 'robots_table', item: { id: 8 } });
    const entries = (await trail('?limit=6')).map(({ action, subject, outcome }) => [action, subject, outcome]);
    const table = 'robots_table';
    expect(entries.reverse()).toEqual([
      ['database.add', { table, key: 1, columns: ['name'] }, 'ok'],
      ['database.add', { table, key: 7, columns: ['id', 'name'] }, 'ok'],
      ['database.update', { table, key: 7, columns: ['color'] }, 'ok'],
      ['database.export', { table, path: 'x.csv' }, 'ok'],
      ['database.delete', { table, key: 7 }, 'ok'],
      ['database.delete', { table, key: 8 }, 'row_not_found'],
    ]);
    expect(JSON.stringify(await trail())).not.toContain('confidential');
  });

  it('records that publisher tokens were issued, never the token itself', async () => {
    const { json } = await http(service.socketPath, '/api/v2/auth/?mediamtx_publish=true&username=camera');
    const [entry] = await trail('?action=token.publisher');
    expect(entry).toMatchObject({ subject: { username: 'camera' }, listener: 'socket', key_id: 'local' });
    expect(JSON.stringify(await trail())).not.toContain(json.token);
  });

  it('is only readable for ENCHANTER, and names invalid filters', async () => {
    expect((await service.as('ADMIN', '/api/v1/audit/')).status).toBe(403);
    const bad = await service.as('ENCHANTER', '/api/v1/audit/?since=yesterday&limit=0&who=me');
    expect([bad.status, bad.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()]).toEqual([
      422,
      ['query:limit', 'query:since', 'query:who'],
    ]);
  });

  it('records rejected attempts at audited actions', async () => {
    const body = { command: 'max_tokens', value: 1 };
    expect((await service.as('ADMIN', '/api/v2/llm_config/', { method: 'PATCH', body })).status).toBe(403);
    const [entry] = await trail('?action=llm_config.patch');
    expect(entry).toMatchObject({ outcome: 'insufficient_access', subject: {}, client_id: expect.any(String) });
  });

  it('records changes by CLI commands', async () => {
    const home = temporaryFolder();
    const environment = freshEnvironment({ HOME: home });
    const running: ServiceProcess = await startProcess(environment);
    const { stdout } = await runToEnd(['api-key', 'create', '--name', 'auditor', '--level', 'ENCHANTER'], environment);
    await runToEnd(['jwt-key', 'rotate'], environment);
    const auth = await http(running.url, '/api/v2/auth/', { headers: { 'x-api-key': stdout.trim() } });
    const headers = { authorization: `Bearer ${auth.json.token}` };
    const { entries } = (await http(running.url, '/api/v2/audit/', { headers })).json;
    await running.end();
    expect(entries).toMatchObject([
      { action: 'signing-key.rotate', subject: { now: false }, listener: 'command' },
      { action: 'key.create', subject: { name: 'auditor', level: 'ENCHANTER' }, listener: 'command' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(stdout.trim());
  });
});
