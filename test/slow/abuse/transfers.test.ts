import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exceeded, KEYS_AS_TOKENS, withKey } from '../../support/key-tokens.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { loggerInto } from '../../support/world.ts';

const ROWS = 20_000;
const QUOTA = 100_000;
const TABLE = 'robots_table';

let service: TestService;
let folder: string;
const lines: string[] = [];
beforeAll(async () => {
  service = await startTestService({
    given: [KEYS_AS_TOKENS],
    settings: { SERVICE_EXPORT_MAX_BYTES: String(QUOTA) },
    logger: loggerInto(lines, 'warn'),
  });
  folder = service.ports.config.SERVICE_EXPORT_DIR;
  mkdirSync(folder, { recursive: true });
  const rows = Array.from({ length: ROWS }, (_, n) => `${n + 1},robot ${n + 1}`).join('\r\n');
  writeFileSync(join(folder, 'small.csv'), 'id,name\r\n1,one\r\n');
  writeFileSync(join(folder, 'large.csv'), `id,name\r\n${rows}\r\n`);
});
afterAll(() => service.stop());

const transfer = (key: string, kind: 'import' | 'export', path: string, tablename = TABLE) =>
  withKey(service, key, `/api/v2/database/${kind}_table/`, { method: 'POST', body: { tablename, path } });
const remove = (key: string, path: string) =>
  withKey(service, key, `/api/v2/database/exports/${path}`, { method: 'DELETE' });
const list = async () => (await withKey(service, 'ADMIN:carol', '/api/v2/database/exports/')).json;
const pathsOf = async () => (await list()).exports.map(({ path }: { path: string }) => path);

describe('Endless imports with one key', () => {
  it('leave other keys their turn, and are 409 busy beyond one running or waiting', async () => {
    let going = true;
    const refused: unknown[] = [];
    const looping = Array.from({ length: 4 }, async () => {
      while (going) {
        const { status, json } = await transfer('mallory', 'import', 'large.csv');
        if (status !== 200) refused.push(json.code);
      }
    });
    await until('one is refused', () => refused.length > 0);
    for (let turn = 0; turn < 3; turn += 1) expect((await transfer('alice', 'import', 'small.csv')).status).toBe(200);
    expect((await withKey(service, 'mallory', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    going = false;
    await Promise.all(looping);
    expect(new Set(refused)).toEqual(new Set(['busy']));
    expect(await exceeded(service, 'transfers')).toBe(refused.length);
    expect(lines.filter((line) => line.includes('"budget":"transfers"'))).toHaveLength(1);
  });
});

describe('Exports', () => {
  beforeAll(async () => {
    for (const path of ['large.csv', 'small.csv']) expect((await remove('ADMIN:carol', path)).status).toBe(200);
    await withKey(service, 'mallory', `/api/v2/database/clear_table/?tablename=${TABLE}`, { method: 'DELETE' });
    const item = { tablename: TABLE, item: { id: 1, name: 'x'.repeat(30_000) } };
    await withKey(service, 'mallory', '/api/v2/database/add_item/', { method: 'POST', body: item });
  });

  it('are rejected with 507 over their quota without deleting any, while replacing one is allowed', async () => {
    for (const path of ['a.csv', 'b/b.csv', 'b/c/c.csv'])
      expect((await transfer('mallory', 'export', path)).status).toBe(200);
    const { status, json } = await transfer('mallory', 'export', 'd/d.csv');
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect(json.detail).toContain('SERVICE_EXPORT_MAX_BYTES');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a.csv', 'b', 'b/b.csv', 'b/c', 'b/c/c.csv']);
    expect((await transfer('mallory', 'export', 'a.csv')).status).toBe(200);
    expect(await exceeded(service, 'exports')).toBe(1);
    expect(lines.filter((line) => line.includes('"budget":"exports"'))).toHaveLength(1);
  });

  it('can be listed and deleted by ADMIN only, along with empty folders', async () => {
    expect(await list()).toMatchObject({
      exports: [{ path: 'a.csv' }, { path: 'b/b.csv' }, { path: 'b/c/c.csv' }],
      max_size: QUOTA,
    });
    expect((await remove('mallory', 'a.csv')).json.code).toBe('insufficient_access');
    expect((await remove('ADMIN:carol', 'b/c/c.csv')).json).toMatchObject({
      path: 'b/c/c.csv',
      size: expect.any(Number),
    });
    expect([existsSync(join(folder, 'b/b.csv')), existsSync(join(folder, 'b/c'))]).toEqual([true, false]);
    expect(await pathsOf()).toEqual(['a.csv', 'b/b.csv']);
    expect((await transfer('mallory', 'export', 'd/d.csv')).status).toBe(200);
  });

  it.each(['b', 'c.csv', '..%2f..%2frobot.sqlite', '%2e%2e/robot.sqlite', 'b/../a.csv%00', 'x'.repeat(3_000)])(
    'that are not in the list are 404: %j',
    async (path) => {
      expect((await remove('ADMIN:carol', path)).status).toBe(404);
    },
  );

  it('are limited in number, including folders', async () => {
    await withKey(service, 'mallory', `/api/v2/database/clear_table/?tablename=${TABLE}`, { method: 'DELETE' });
    const deep = `${'n/'.repeat(450)}n.csv`;
    expect((await transfer('mallory', 'export', deep)).status).toBe(200);
    expect((await transfer('mallory', 'export', deep.replaceAll('n', 'm'))).status).toBe(200);
    const { status, json } = await transfer('mallory', 'export', deep.replaceAll('n', 'o'));
    expect([status, json.detail]).toEqual([507, expect.stringContaining('1000 files and folders')]);
    expect(existsSync(join(folder, 'o'))).toBe(false);
    expect((await remove('ADMIN:carol', deep)).status).toBe(200);
    expect(existsSync(join(folder, 'n'))).toBe(false);
  });
});
